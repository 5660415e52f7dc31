/** The query of a URL as this UI writes it. All values are text, and the URL stays readable. */

/** Parses a search itself: the parser of the router would turn a filter of 10 into a number. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) if (value !== undefined) params.set(name, String(value))
  // Leaves characters unescaped if a URL permits that, for readability.
  const text = params.toString().replace(/%3A/g, ':').replace(/%2F/g, '/').replace(/%2C/g, ',')
  return text === '' ? '' : `?${text}`
}
