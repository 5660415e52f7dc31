/** The id and the singular noun that follow from the name of a kind. Imports nothing, because the browser loads it. */

/**
 * Returns the id that is made of a name: its letters, digits and hyphens; '' if there is none.
 * @example toKindId('Power feeds') // 'power-feeds'
 */
export const toKindId = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 50)
    .replace(/-+$/, '')

/**
 * Returns a name without its plural ending.
 * @example toSingularName('Companies') // 'Company'
 */
export const toSingularName = (name: string): string => {
  if (/[^\s]ies$/i.test(name)) return `${name.slice(0, -3)}y`
  if (/(ch|sh|ss|x)es$/i.test(name)) return name.slice(0, -2)
  return /[^s\s]s$/i.test(name) ? name.slice(0, -1) : name
}
