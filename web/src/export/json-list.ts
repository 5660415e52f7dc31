/** Reads the objects of a JSON list while it arrives. Pure. */

const QUOTE = 34
const BACKSLASH = 92
const OPEN = 123
const CLOSE = 125

/**
 * Returns a function that takes the text piece by piece, and returns the objects that are complete.
 * @throws SyntaxError for text that is no list of objects
 */
export const createListReader = (): ((piece: string) => readonly object[]) => {
  let rest = ''
  let depth = 0
  let isInText = false
  let isEscaped = false
  return (piece) => {
    const found: object[] = []
    const start = rest.length
    const text = rest + piece
    let begin = depth > 0 ? 0 : -1
    let end = 0
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (isEscaped) isEscaped = false
      else if (isInText) {
        if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) isInText = false
      } else if (code === QUOTE) isInText = true
      else if (code === OPEN) {
        if (depth === 0) begin = at
        depth++
      } else if (code === CLOSE) {
        depth--
        if (depth < 0) throw new SyntaxError('the list ends before it begins')
        if (depth > 0) continue
        found.push(JSON.parse(text.slice(begin, at + 1)))
        begin = -1
        end = at + 1
      }
    }
    rest = begin === -1 ? '' : text.slice(Math.max(begin, end))
    return found
  }
}
