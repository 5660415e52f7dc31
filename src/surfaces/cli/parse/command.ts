/** Declares commands, both derived from operations and hand-written: words, arguments, flags, a function. */
import type { OperationSet } from '../../../kernel/operation.ts'
import type { Connection } from '../connection/connection.ts'
import type { Io } from '../io.ts'

/** The value of a flag or argument, as help and completion describe it. */
export type Value = {
  /** The key of the parsed texts. */
  readonly field: string
  readonly about: string
  /** The bounds of the contract in words: `1-4094`. */
  readonly bounds: string
  readonly choices: readonly string[]
  /** Plural noun. The ids and names of its objects are the values. */
  readonly ref: string | undefined
  /** Only the objects of this kind. */
  readonly kind?: string | undefined
}

export type Flag = Value & {
  /** The names without dashes; help shows the first. */
  readonly names: readonly string[]
  readonly short?: string
  /** A switch takes no value: `--enabled`, `--no-enabled`, `--enabled=false`. */
  readonly isSwitch: boolean
  readonly isList: boolean
  /** The placeholder of the value in help: `TEXT`, `NUMBER`, `FILE`. */
  readonly hint: string
}

export type Argument = Value & {
  /** `FILE` or `DIR`: the shell completes its names. */
  readonly hint?: string
  readonly isRequired: boolean
  /** Takes all remaining words. */
  readonly isRest: boolean
}

export type Spec = { readonly args: readonly Argument[]; readonly flags: readonly Flag[] }

/** Texts by field, in the order given. */
export type Texts = ReadonlyMap<string, readonly string[]>

export const OUTPUT_FORMATS = ['table', 'json', 'yaml', 'csv', 'name'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** The values of the global flags. */
export type Globals = {
  readonly output: OutputFormat
  readonly hasHeaders: boolean
  readonly isQuiet: boolean
  readonly url: string | undefined
  readonly token: string | undefined
}

export type Program = {
  readonly version: string
  /** Loaded only by commands that need it: loading takes most of the start. */
  readonly contracts: () => Promise<Readonly<Record<string, OperationSet>>>
  /** Commands such as `login` and `serve`, which take precedence over operations of the same words. */
  readonly specials: readonly Command[]
  /** Loads commands that extend the command of an operation. They are loaded with the registry. */
  readonly extended?: () => Promise<readonly Command[]>
  /** Nouns that the server knows. */
  readonly serverNouns?: ServerNouns
}

/** Commands with a first word that the server defines. */
export type ServerNouns = {
  /** Returns the commands of a noun; none if the server has no such noun, or cannot be asked. */
  readonly find: (asked: Asked, word: string) => Promise<readonly Command[]>
  /** Returns the nouns for a completion. */
  readonly list: (asked: Asked) => Promise<readonly string[]>
}

type Asked = Pick<Session, 'program' | 'connect'>

export type Session = {
  readonly io: Io
  readonly globals: Globals
  readonly program: Program
  /** Returns the address of the server and the caller's credentials. */
  readonly connect: () => Promise<Connection>
}

export type Command = {
  readonly words: readonly string[]
  readonly summary: string
  readonly description?: string
  /** Lines of `plat ... --help` under the flags: route, permission. */
  readonly notes?: readonly string[]
  readonly isHidden?: boolean
  /** Other commands begin with its words: a further word is looked up among them. */
  readonly isPrefix?: true
  /** Computed on demand, because schemas are expensive. */
  readonly spec: () => Spec
  /** @returns the exit code */
  readonly run: (session: Session, texts: Texts) => Promise<number>
}

/** Declares a flag of a hand-written command. */
export const createFlag = (
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

/** Declares an argument of a hand-written command. */
export const createArgument = (
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

export const getText = (texts: Texts, field: string): string | undefined => texts.get(field)?.at(-1)
export const isOn = (texts: Texts, field: string): boolean => getText(texts, field) === 'true'
