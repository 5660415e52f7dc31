/** Describes scopes in words: one line for each resource, reads before writes. Pure functions. */

export type Scope = {
  readonly name: string
  readonly action: string
  readonly resource: string
  readonly description: string
}

export type Line = { readonly text: string; readonly names: readonly string[] }

/** All other actions write. */
const LOOKS = new Set(['list', 'read', 'export'])

export const isReadScope = ({ action }: Scope): boolean => LOOKS.has(action)

/** Returns the number of words at the end that all texts share. The first word never counts. */
const countCommonEnd = (texts: readonly (readonly string[])[]): number => {
  const [first = []] = texts
  let count = 0
  while (
    count < Math.min(...texts.map((words) => words.length)) - 1 &&
    texts.every((words) => words.at(-1 - count) === first.at(-1 - count))
  )
    count++
  return count
}

const lower = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

const joinVerbs = (verbs: readonly string[]): string =>
  verbs.length < 2 ? (verbs[0] ?? '') : `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}`

/** Joins sentences that end alike. @example joinDescriptions(['List devices', 'Read devices']) // 'List and read devices' */
export const joinDescriptions = (descriptions: readonly string[]): string => {
  const texts = descriptions.map((text) => text.split(' '))
  const end = countCommonEnd(texts)
  if (end === 0) return descriptions.join('; ')
  const verbs = texts.map((words, i) => {
    const verb = words.slice(0, -end).join(' ')
    return i === 0 ? verb : lower(verb)
  })
  return `${joinVerbs(verbs)} ${texts[0]?.slice(-end).join(' ')}`
}

/** Resources are in the order of their first scope. */
export const buildLines = (scopes: readonly Scope[]): Line[] =>
  [...Map.groupBy(scopes, ({ resource }) => resource).values()].map((all) => ({
    text: joinDescriptions(all.map(({ description }) => description)),
    names: all.map(({ name }) => name),
  }))
