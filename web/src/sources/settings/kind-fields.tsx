/** The fields of a kind of source, made from its declarations: its options and its secrets. */
import { REMOVED, SecretField } from '../../access/secret-field.tsx'
import type { FieldSpec, Values } from '../../resource/resource.ts'
import { toTitle } from '../labels.ts'
import type { Source, SourceKind } from '../queries.ts'

type Option = SourceKind['options'][number]
type Secret = SourceKind['secrets'][number]

const OPTION = 'options.'
const SECRET = 'secrets.'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const formatObject = (value: unknown): string =>
  isObject(value) && Object.keys(value).length > 0 ? JSON.stringify(value, undefined, 2) : ''

/** The server names the error of a text that is no JSON. */
const parseObject = (text: string): unknown => {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const toNumber = (text: string): unknown => {
  if (text.trim() === '') return null
  return Number.isNaN(Number(text)) ? text : Number(text)
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** A list of texts in a form, one on each line. */
export const LINES: Pick<FieldSpec, 'kind' | 'read' | 'send'> = {
  kind: 'area',
  read: (value) => (Array.isArray(value) ? value.join('\n') : ''),
  send: splitLines,
}

/** The control of each type. An absent option has the default of its kind. */
const buildControl = ({ type, default: usual }: Option): Partial<FieldSpec> => {
  const orUsual = (value: unknown): unknown => value ?? usual
  switch (type) {
    case 'flag':
      return {
        ...{ kind: 'flag', initial: String(usual === true) },
        read: (value) => String(orUsual(value) === true),
        send: (text) => text === 'true',
      }
    case 'number':
      return { kind: 'number', initial: String(usual ?? ''), read: (value) => String(orUsual(value)), send: toNumber }
    case 'texts':
      return { ...LINES, initial: Array.isArray(usual) ? usual.join('\n') : '' }
    case 'object':
      return { kind: 'area', isMono: true, read: formatObject, send: parseObject }
    case 'text':
      return {
        initial: typeof usual === 'string' ? usual : '',
        read: (value) => String(orUsual(value) ?? ''),
        send: (text) => text.trim() || null,
      }
  }
}

export const buildOptionField = (option: Option): FieldSpec => ({
  ...{ name: `${OPTION}${option.name}`, label: toTitle(option.name), hint: option.description },
  isRequired: option.required,
  ...buildControl(option),
})

type SecretParts = {
  readonly stored: Source | undefined
  /** True if the typed address is another one than that of the stored secrets. */
  readonly isMoved: (values: Values) => boolean
}

/** Long secrets, such as keys and certificates. */
const IS_LONG = /PEM/

export const buildSecretField = (secret: Secret, { stored, isMoved }: SecretParts): FieldSpec => {
  const { name, description, required } = secret
  const isStored = stored?.secrets_set.includes(name) === true
  return {
    ...{ name: `${SECRET}${name}`, label: toTitle(name), isRequired: required, isSecret: true },
    render: ({ value, onChange, error, values }) => (
      <SecretField
        {...{ value, onChange, error, isStored }}
        label={toTitle(name)}
        hint={description}
        target="host or port"
        isRequired={required}
        isRemovable={!required}
        isLong={IS_LONG.test(description)}
        isNeededAgain={isStored && isMoved(values)}
      />
    ),
    read: () => '',
    send: (text) => (text === REMOVED ? null : text || undefined),
  }
}

type Input = Readonly<Record<string, unknown>>

const pickPart = (input: Input, prefix: string): [string, unknown][] =>
  Object.entries(input).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value] as [string, unknown]] : [],
  )

/** Returns the input of a form as the contract has it: options replace all stored ones, so that the others go along. */
export const nestInput = (input: Input, stored: Source['options'] = {}): Input => {
  const [options, secrets] = [pickPart(input, OPTION), pickPart(input, SECRET)]
  const others = Object.entries(input).filter(([name]) => !name.startsWith(OPTION) && !name.startsWith(SECRET))
  return Object.fromEntries([
    ...others,
    ...(options.length > 0 ? [['options', { ...stored, ...Object.fromEntries(options) }] as const] : []),
    ...(secrets.length > 0 ? [['secrets', Object.fromEntries(secrets)] as const] : []),
  ])
}

/** Returns a source with its options under the names of their fields. Its owner is that of its objects, and not its own. */
export const flattenOptions = (source: Source): Source => ({
  ...source,
  managed_by: '',
  ...Object.fromEntries(Object.entries(source.options).map(([name, value]) => [`${OPTION}${name}`, value])),
})
