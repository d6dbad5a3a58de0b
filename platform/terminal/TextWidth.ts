/** How many columns of a terminal text takes. */

// Ideographs, syllables, full-width forms and emoji take two columns.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

export const columnsOfCharacter = (character: string): number => (wide.test(character) ? 2 : 1)

export const textWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOfCharacter(character), 0)
