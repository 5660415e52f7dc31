/** Names that programs with a small alphabet accept. */

/**
 * Returns the text in lower case, with one separator for each run of other characters than `a-z` and `0-9`, and none at the ends.
 * @example toSlug('Rack 7 / Süd--East') // 'rack_7_s_d_east'
 */
export const toSlug = (text: string, separator: '_' | '-' = '_'): string => {
  const dashed = text.toLowerCase().replace(/[^a-z0-9]+/g, separator)
  return dashed.replace(/^[_-]|[_-]$/g, '')
}
