/** How far a failure reaches: the others of its kind may still succeed, or all would end the same way. */
export type FailureScope = "file" | "analysis" | "run"
