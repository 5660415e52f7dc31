/** Writes a call of an operation as a command for a POSIX shell, of curl or of plat. Browser-safe. */

import { getCommandWords, type Named, toFlagName } from '../../../contract/command-name.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import { buildRequest } from '../connection/client.ts'

type Input = Readonly<Record<string, unknown>>

const PLAIN = /^[\w@%+=:,./-]+$/

/** Quotes a word of a POSIX shell. */
export const quoteWord = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** @param place the URL for a path, as a word of the shell */
export const formatCurl = (op: AnyOperation, input: Input, place: (path: string) => string): string => {
  const { path, init } = buildRequest(op, input)
  const { accept, ...headers } = init.headers
  const words = [
    'curl',
    ...(init.method === 'GET' ? [] : ['-X', String(init.method)]),
    '-H "Authorization: Bearer $PLAT_TOKEN"',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoteWord(`${name}: ${value}`)]),
    ...(typeof init.body === 'string' ? ['-d', quoteWord(init.body)] : []),
    place(path),
  ]
  return words.join(' ')
}

/** Returns true for the value of an empty field. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

const formatFlag = (field: string, value: unknown): string[] => {
  const name = `--${toFlagName(field)}`
  if (isEmpty(value)) return [`--unset ${toFlagName(field)}`]
  if (typeof value === 'boolean') return [value ? name : `--no-${toFlagName(field)}`]
  return (Array.isArray(value) ? value : [value]).map((one) => {
    const text = typeof one === 'object' ? JSON.stringify(one) : String(one)
    // A value that begins with dashes would be parsed as a flag.
    return text.startsWith('-') ? `${name}=${quoteWord(text)}` : `${name} ${quoteWord(text)}`
  })
}

export const formatPlatCommand = (op: Named, input: Input): string => {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const positional = op.cli?.args ?? []
  const args = positional.filter((field) => {
    const value = input[field]
    return typeof value === 'string' && value !== '' && !value.startsWith('-')
  })
  // A missing argument would shift the later ones.
  const leading = positional.slice(0, args.length).every((field) => args.includes(field)) ? args : []
  return [
    'plat',
    ...getCommandWords(op),
    ...leading.map((field) => quoteWord(String(input[field]))),
    ...given.filter(([field]) => !leading.includes(field)).flatMap(([field, value]) => formatFlag(field, value)),
  ].join(' ')
}
