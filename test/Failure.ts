/** What a test may fail with: an error, or an answer where it was flipped. */
// biome-ignore lint/suspicious/noConfusingVoidType: the answer of an effect that gives none.
export type Failure = object | string | number | null | void
