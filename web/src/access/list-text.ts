/** Formats a list of texts as the text of a form field. JSON, because an entry may contain any separator. */

export const formatList = (value: unknown): string => JSON.stringify(Array.isArray(value) ? value : [])

/** @param text of `formatList`, or '' in a new form */
export const parseList = (text: string): readonly string[] => {
  const entries: unknown = JSON.parse(text || '[]')
  return Array.isArray(entries) ? entries.map(String) : []
}
