/** The choices of a custom field: of its set since 3.6, of the field itself before. */
import type { NetboxModel } from '../model.ts'
import type { NetboxObject } from '../read/objects.ts'

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
const parseList = (value: unknown): unknown[] => {
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

/** Returns the text of a choice: a value and its label, or only a value. */
const getChoiceText = (choice: unknown): string => String(Array.isArray(choice) ? choice[0] : choice).trim()

export const listChoices = (model: NetboxModel, { choices, choice_set }: NetboxObject): string[] => {
  const set = model.find('extras.customfieldchoiceset', choice_set)
  return [...new Set([...parseList(choices), ...parseList(set?.extra_choices)].map(getChoiceText))].filter(
    (text) => text !== '',
  )
}
