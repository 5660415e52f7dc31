/** Names that programs with a small alphabet accept. */

/**
 * Returns the text in lower case, with one separator for each run of other characters than `a-z` and `0-9`, and none at the ends.
 * @example toSlug('Rack 7 / Süd--East') // 'rack_7_s_d_east'
 */
export const toSlug = (text: string, separator: '_' | '-' = '_'): string => {
  const dashed = text.toLowerCase().replace(/[^a-z0-9]+/g, separator)
  return dashed.replace(/^[_-]|[_-]$/g, '')
}

/** The longest slug of a name in NetBox. */
export const MAX_SLUG = 100

/**
 * Returns the slug of a name in NetBox: letters and digits without their diacritics, with `-` between. Empty if there are none.
 * @example toNameSlug('Zürich, Büro 7') // 'zurich-buro-7'
 */
export const toNameSlug = (name: string): string =>
  toSlug(name.normalize('NFKD').replace(/\p{M}+/gu, ''), '-')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '')
