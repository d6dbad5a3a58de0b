/**
 * The words of a command line, as a shell parts them: at spaces and ends of lines, and in quotes a word may have those. As the tag of a
 * template a value in it is never parted, and a list of words stands for all of them.
 */
export const words = (
  line: string | TemplateStringsArray,
  ...values: ReadonlyArray<string | number | ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const text = typeof line === "string" ? line : line.raw.reduce((before, part, i) => `${before}\0${i - 1}\0${part}`)
  return [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].flatMap(([word]) => {
    const only = values[Number(/^\0(\d+)\0$/.exec(word)?.[1] ?? -1)]
    if (typeof only === "object") return only
    const plain = word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2")
    return [plain.replaceAll(/\0(\d+)\0/g, (_, i) => String(values[Number(i)]))]
  })
}
