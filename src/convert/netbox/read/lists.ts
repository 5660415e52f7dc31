/** Lists in a text: arrays as PostgreSQL writes them, and JSON. */

/** Returns the elements of an array as PostgreSQL writes it: `{a,"b c"}`, `{{a,A},{b,B}}`. */
const readArray = (text: string): unknown[] => {
  let at = 0
  const list = (): unknown[] => {
    const items: unknown[] = []
    at++
    while (at < text.length && text[at] !== '}') {
      if (text[at] === ',') at++
      else if (text[at] === '{') items.push(list())
      else items.push(text[at] === '"' ? readQuoted() : readPlain())
    }
    at++
    return items
  }
  const readQuoted = (): string => {
    let word = ''
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      word += text[at] ?? ''
    }
    at++
    return word
  }
  const readPlain = (): string => {
    const start = at
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at++
    return text.slice(start, at)
  }
  return list()
}

/** A database writes a list as an array, dumpdata as JSON in a text. */
export const parseList = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return []
  if (value.startsWith('{')) return readArray(value)
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
