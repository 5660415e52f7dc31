/** A write of one object: the values of its fields by Plat's names, and their errors by NetBox's names. */
import { isRecord } from '../../contract/unknown.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Custom } from '../../resource/custom/fields.ts'
import { type FieldNames, type Messages, refuseFields } from '../door/errors.ts'
import type { World } from '../world/world.ts'
import type { Resolver } from './resolver.ts'

/** Runs an operation of a feature, with the permissions that it needs. */
export type RunOperation = (ctx: Ctx, name: string, input: object) => Promise<unknown>

export type Sent = Readonly<Record<string, unknown>>

type Stored = { readonly id: string }

type DraftParts<Item> = {
  readonly world: World
  readonly tx: Ctx
  readonly run: RunOperation
  /** The object before the write; undefined for a new one. */
  readonly item: Item | undefined
  readonly sent: Sent
}

export class Draft<Item> {
  readonly world: World
  readonly tx: Ctx
  readonly item: Item | undefined
  readonly sent: Sent
  /** The input of Plat's operation. */
  readonly input: Record<string, unknown> = {}
  readonly #run: RunOperation
  readonly #custom: Record<string, unknown> = {}
  readonly #messages = new Map<string, string[]>()
  readonly #names: Record<string, string> = {}
  readonly #later: ((stored: Stored) => Promise<void>)[] = []
  #field = ''

  constructor({ world, tx, run, item, sent }: DraftParts<Item>) {
    this.world = world
    this.tx = tx
    this.item = item
    this.sent = sent
    this.#run = run
  }

  /** NetBox's names by Plat's: fields that `set` was called for. */
  get names(): FieldNames {
    return this.#names
  }

  /** The field that is being taken over. Errors and values belong to it. */
  begin(field: string): void {
    this.#field = field
  }

  set(name: string, value: unknown): void {
    this.input[name] = value
    this.#names[name] = this.#field
  }

  /** Sets a custom field. */
  setCustom(name: string, value: unknown): void {
    this.#custom[name] = value
    this.input.custom = this.#custom as Custom
    this.#names[`custom.${name}`] = this.#field
  }

  /** Adds work for the time when the object is stored. */
  later(work: (stored: Stored) => Promise<void>): void {
    this.#later.push(work)
  }

  /** Does the work that waited for the object. */
  async finish(stored: Stored): Promise<void> {
    for (const work of this.#later) await work(stored)
  }

  /** Adds an error of the field. */
  refuse(message: string): void {
    const own = this.#messages.get(this.#field)
    if (own) own.push(message)
    else this.#messages.set(this.#field, [message])
  }

  /** Adds an error of another field. */
  refuseAt(field: string, message: string): void {
    const before = this.#field
    this.#field = field
    this.refuse(message)
    this.#field = before
  }

  /** @throws NetboxError with all errors */
  check(): void {
    if (this.#messages.size > 0) throw refuseFields(Object.fromEntries(this.#messages) as Messages)
  }

  /** Runs an operation of a feature in the transaction. */
  run(name: string, input: object): Promise<unknown> {
    return this.#run(this.tx, name, input)
  }

  /**
   * Returns the key of the object that a value names: its number, or an object of attributes that all fit exactly one.
   * @returns null for null; undefined after an error
   */
  async resolve(of: Resolver, value: unknown): Promise<string | null | undefined> {
    if (value === null || value === '') return null
    const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
    if (typeof number === 'number') return this.#resolveNumber(of, number)
    if (isRecord(value)) return this.#resolveAttributes(of, value)
    this.refuse('Related objects must be referenced by numeric ID or by dictionary of attributes.')
    return undefined
  }

  async #resolveNumber(of: Resolver, number: number): Promise<string | undefined> {
    const key = Number.isSafeInteger(number) ? (await of.byNumbers(this.world, [number])).get(number) : undefined
    if (key === undefined) this.refuse(`Related object not found using the provided numeric ID: ${number}`)
    return key
  }

  async #resolveAttributes(of: Resolver, value: Sent): Promise<string | undefined> {
    const { id, ...others } = value
    if (typeof id === 'number') return this.#resolveNumber(of, id)
    const found = of.byAttributes ? await of.byAttributes(this.world, others) : await this.#findByEach(of, others)
    const [key, second] = found ?? []
    const attributes = JSON.stringify(value)
    if (key === undefined) this.refuse(`Related object not found using the provided attributes: ${attributes}`)
    else if (second !== undefined) this.refuse(`Multiple objects match the provided attributes: ${attributes}`)
    else return key
    return undefined
  }

  /** Returns the keys of the objects that all known attributes name; undefined if none of them is known. */
  async #findByEach(of: Resolver, given: Sent): Promise<string[] | undefined> {
    let found: string[] | undefined
    for (const [attribute, wanted] of Object.entries(given)) {
      if (!of.attributes.includes(attribute)) continue
      const some = new Set(await of.byAttribute(this.world, attribute, String(wanted)))
      found = found ? found.filter((key) => some.has(key)) : [...some]
    }
    return found
  }
}
