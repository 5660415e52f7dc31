/** The call that a page makes or a form would send, and the formats in which it can be copied. */
import type { AnyOperation } from '../../../src/kernel/operation.ts'

export type Call = {
  readonly op: AnyOperation
  readonly input: Readonly<Record<string, unknown>>
  /** Descriptions of the parts of the page that the call leaves out. */
  readonly leftOut?: readonly string[]
}

/** The call of a list, which also has a filter. */
export type ListCall = {
  readonly list: Readonly<Record<string, AnyOperation>>
  readonly q: string
  /** Input of the page besides its filter. */
  readonly given?: Readonly<Record<string, unknown>>
}

export type AnyCall = Call | ListCall
/** Returns undefined while there is nothing to send. */
export type GetCall = () => AnyCall | undefined

export const FORMS = [
  ['curl', 'Copy as curl'],
  ['plat', 'Copy as plat command'],
] as const
export type Form = (typeof FORMS)[number][0]
