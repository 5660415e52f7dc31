/** Names from a pattern such as `Gi0/[1-48]`, and lists of numbers such as `20-22, 40`. Pure functions. */

/** The largest number of ports of one device. */
export const MAX_PORTS = 2000

/** The bounds of a pattern: how many objects, and how long their names are. */
export type Bounds = { readonly most: number; readonly noun: string; readonly length: number }

const PORTS: Bounds = { most: MAX_PORTS, noun: 'port', length: 64 }

export type Expanded = { readonly names: readonly string[] } | { readonly problem: string }

const PART = /^(\d+|[a-z]|[A-Z])(?:-(\d+|[a-z]|[A-Z]))?$/

const listLetters = (first: string, last: string): string[] => {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)]
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => String.fromCharCode(from + at))
}

/** Keeps leading zeros: `08-10` is 08, 09, 10. */
const listNumbers = (first: string, last: string, most: number): string[] => {
  const [from, to] = [Number(first), Number(last)]
  const length = Math.min(most + 1, Math.max(0, to - from + 1))
  const width = first.startsWith('0') ? first.length : 0
  return Array.from({ length }, (_, at) => String(from + at).padStart(width, '0'))
}

const isSameKind = (first: string, last: string): boolean =>
  [/^\d+$/, /^[a-z]$/, /^[A-Z]$/].some((kind) => kind.test(first) && kind.test(last))

/** Returns the texts of one pair of brackets; empty if it cannot be read. */
const expandBrackets = (inside: string, most: number): string[] => {
  const parts = inside.split(',').map((part) => {
    const [, first = '', last = first] = PART.exec(part.trim()) ?? []
    if (first === '' || !isSameKind(first, last)) return []
    return /\d/.test(first) ? listNumbers(first, last, most) : listLetters(first, last)
  })
  return parts.every((texts) => texts.length > 0) ? parts.flat() : []
}

/** Splits a pattern into texts and, at odd places, the content of the brackets between them. */
const splitPattern = (pattern: string): string[] => pattern.split(/\[([^[\]]*)\]/)

/** @example expandNames('Gi0/[1-3]') // { names: ['Gi0/1', 'Gi0/2', 'Gi0/3'] } */
export const expandNames = (pattern: string, { most, noun, length }: Bounds = PORTS): Expanded => {
  let names = ['']
  for (const [at, piece] of splitPattern(pattern.trim()).entries()) {
    const isOption = at % 2 === 1
    if (!isOption && /[[\]]/.test(piece)) return { problem: 'A bracket has no other one' }
    const options = isOption ? expandBrackets(piece, most) : [piece]
    if (options.length === 0) return { problem: `[${piece}] is no range, such as [1-48] or [a,b]` }
    if (names.length * options.length > most) return { problem: `These are more than ${most} ${noun}s` }
    names = names.flatMap((name) => options.map((option) => name + option))
  }
  names = names.filter((name) => name !== '')
  const long = names.find((name) => name.length > length)
  if (long !== undefined) return { problem: `A name has at most ${length} characters` }
  return { names: [...new Set(names)] }
}

/** @example formatNumbers([20, 21, 22, 40]) // '20-22, 40' */
export const formatNumbers = (numbers: readonly number[]): string => {
  const runs: [first: number, last: number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run && number === run[1] + 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ')
}

/** The highest VLAN number. */
const MAX_NUMBER = 4094

/** Reads `20-22, 40`. Other parts stay texts, which the server refuses by their place. */
export const parseNumbers = (text: string): (number | string)[] =>
  text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .flatMap((part): (number | string)[] => {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
      const [from, to] = [Number(first), Number(last)]
      if (first === undefined || from > to || to > MAX_NUMBER) return [part]
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    })
