/** What a command is, whether it is derived from an operation or written by hand: words, arguments, flags, a run. */
import type { OperationSet } from '../operation/operation.ts'
import type { Connection } from './connection.ts'
import type { Io } from './io.ts'

/** One value in a flag or argument, as help and completion describe it. */
export type Value = {
  /** Key under which the parsed texts are found. */
  readonly field: string
  readonly about: string
  /** What the contract allows, in words: `1-4094`. */
  readonly bounds: string
  readonly choices: readonly string[]
  /** Plural noun whose ids and names are values. */
  readonly ref: string | undefined
}

export type Flag = Value & {
  /** Without dashes; help shows the first. */
  readonly names: readonly string[]
  readonly short?: string
  /** A switch takes no value: `--enabled`, `--no-enabled`, `--enabled=false`. */
  readonly isSwitch: boolean
  readonly isList: boolean
  /** What stands for the value in help: `TEXT`, `NUMBER`, `FILE`. */
  readonly hint: string
}

export type Argument = Value & {
  /** `FILE` or `DIR`: the shell completes its names. */
  readonly hint?: string
  readonly isRequired: boolean
  /** Takes all the words that follow. */
  readonly isRest: boolean
}

export type Spec = { readonly args: readonly Argument[]; readonly flags: readonly Flag[] }

/** Texts by field, in the order given. */
export type Texts = ReadonlyMap<string, readonly string[]>

export const OUTPUT_FORMATS = ['table', 'json', 'yaml', 'csv', 'name'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** What every command takes. */
export type Globals = {
  readonly output: OutputFormat
  readonly hasHeaders: boolean
  readonly isQuiet: boolean
  readonly url: string | undefined
  readonly token: string | undefined
}

export type Program = {
  readonly version: string
  /** Loaded only by commands that need it: it costs most of the start. */
  readonly contracts: () => Promise<Readonly<Record<string, OperationSet>>>
  /** Commands that are no operations: `login`, `import`, `serve`. They go before operations of the same words. */
  readonly specials: readonly Command[]
}

export type Session = {
  readonly io: Io
  readonly globals: Globals
  readonly program: Program
  /** Where the server is and who calls it. */
  readonly connect: () => Promise<Connection>
}

export type Command = {
  readonly words: readonly string[]
  readonly summary: string
  readonly description?: string
  /** Lines of `plat ... --help` under the flags: route, permission. */
  readonly notes?: readonly string[]
  readonly isHidden?: boolean
  /** Made when it is needed: schemas are not free. */
  readonly spec: () => Spec
  /** @returns the exit code */
  readonly run: (session: Session, texts: Texts) => Promise<number>
}

/** A flag of a hand-written command. */
export const flag = (
  name: string,
  about: string,
  { hint = '', ...rest }: Partial<Pick<Flag, 'hint' | 'choices' | 'ref' | 'short' | 'isList'>> = {},
): Flag => ({
  field: name,
  names: [name],
  about,
  bounds: '',
  choices: [],
  ref: undefined,
  isList: false,
  ...rest,
  hint,
  isSwitch: hint === '' && (rest.choices ?? []).length === 0,
})

/** An argument of a hand-written command. */
export const argument = (
  field: string,
  about: string,
  rest: Partial<Omit<Argument, 'field' | 'about'>> = {},
): Argument => ({
  field,
  about,
  bounds: '',
  choices: [],
  ref: undefined,
  isRequired: true,
  isRest: false,
  ...rest,
})

export const textOf = (texts: Texts, field: string): string | undefined => texts.get(field)?.at(-1)
export const isOn = (texts: Texts, field: string): boolean => textOf(texts, field) === 'true'
