/** Writes a call of an operation as a command of curl or of plat. Everything about the operation comes from its declaration. */
import { commands } from 'virtual:commands'
import { requestOf } from '../../../src/platform/client.ts'
import { commandOf, flagName } from '../../../src/platform/command.ts'
import type { Call, Form, Said } from './command-menu.tsx'
import { listCall } from './list-call.ts'

type Input = Call['input']

const PLAIN = /^[\w@%+=:,./-]+$/

/** A word of a POSIX shell. */
export const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

const isSecret = (op: Call['op'], field: string): boolean => commands[op.name]?.secrets.includes(field) === true

/** Nobody needs a secret in the history of a shell. */
const withoutSecrets = ({ op, input }: Call): { readonly input: Input; readonly leftOut: readonly string[] } => {
  const entries = Object.entries(input)
  const secrets = entries.filter(([field, value]) => isSecret(op, field) && value !== '' && value !== undefined)
  return {
    input: Object.fromEntries(entries.filter(([field]) => !isSecret(op, field))),
    leftOut: secrets.map(([field]) => `the ${field.replaceAll('_', ' ')}`),
  }
}

export const curlText = ({ op, input }: Call, origin: string): string => {
  const { path, init } = requestOf(op, input)
  const { accept, ...headers } = init.headers
  const words = [
    'curl',
    ...(init.method === 'GET' ? [] : ['-X', String(init.method)]),
    '-H "Authorization: Bearer $PLAT_TOKEN"',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...(typeof init.body === 'string' ? ['-d', quoted(init.body)] : []),
    // Plain as it may be: people replace what is in it.
    `'${origin}${path}'`,
  ]
  return words.join(' ')
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

const flagWords = (field: string, value: unknown): string[] => {
  const name = `--${flagName(field)}`
  if (isEmpty(value)) return [`--unset ${flagName(field)}`]
  if (typeof value === 'boolean') return [value ? name : `--no-${flagName(field)}`]
  return (Array.isArray(value) ? value : [value]).map((one) => {
    const text = typeof one === 'object' ? JSON.stringify(one) : String(one)
    // What begins with dashes would be taken for a flag.
    return text.startsWith('-') ? `${name}=${quoted(text)}` : `${name} ${quoted(text)}`
  })
}

export const platText = ({ op, input }: Call): string => {
  const cli = commands[op.name]?.cli
  const words = commandOf({ name: op.name, ...(cli ? { cli } : {}) })
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const args = (cli?.args ?? []).filter((field) => {
    const value = input[field]
    return typeof value === 'string' && value !== '' && !value.startsWith('-')
  })
  // A gap would shift those behind it.
  const leading = (cli?.args ?? []).slice(0, args.length).every((field) => args.includes(field)) ? args : []
  return [
    'plat',
    ...words,
    ...leading.map((field) => quoted(String(input[field]))),
    ...given.filter(([field]) => !leading.includes(field)).flatMap(([field, value]) => flagWords(field, value)),
  ].join(' ')
}

/** The command, and what of the page it does not say. */
export const commandText = (form: Form, said: Said): { readonly text: string; readonly leftOut: readonly string[] } => {
  const call = 'list' in said ? listCall(said) : said
  const { input, leftOut } = withoutSecrets(call)
  // What a new object does not say is empty anyway.
  const isNew = call.op.http.startsWith('POST')
  const safe = {
    op: call.op,
    input: isNew ? Object.fromEntries(Object.entries(input).filter(([, value]) => !isEmpty(value))) : input,
  }
  return {
    text: form === 'curl' ? curlText(safe, location.origin) : platText(safe),
    leftOut: [...(call.leftOut ?? []), ...leftOut],
  }
}
