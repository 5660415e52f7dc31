/** Replaces names by ids: finds the references of an input and resolves the names on the server. */

import { canPropose } from '../../../contract/can-propose.ts'
import { toSingular } from '../../../contract/command-name.ts'
import { AppError } from '../../../contract/errors.ts'
import { parseRef } from '../../../contract/fields/external-fields.ts'
import { type FieldSchema, getInputSchema, stripNull } from '../../../contract/input-schema.ts'
import { getLabel, getRowId, LABEL_FIELDS, type Row } from '../../../contract/labels.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { formatFieldName } from '../../../contract/validate.ts'
import { parseHttp } from '../../../kernel/http-route.ts'
import type { AnyOperation, OperationSet } from '../../../kernel/operation.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { call, type Transport } from '../connection/client.ts'
import { toPrintable } from '../output/display.ts'
import { createUsageError } from './usage-error.ts'

/** A text of this form is always an id. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A position in an input that holds the id or name of an object of `noun`. */
export type Reference = {
  readonly noun: string
  /** The noun to search if no object of `noun` has the id or name. */
  readonly orNoun?: string | undefined
  /** The kind to which an object of a kind belongs. */
  readonly kind?: string | undefined
  readonly field: string
  readonly text: string
  /** The text may be the ref of an object that the call creates. */
  readonly mayBeNew?: boolean
  readonly put: (id: string) => void
}

type Holder = Record<PropertyKey, unknown>

/** The place of a value in an input. */
export type At = { readonly holder: Holder; readonly path: readonly PropertyKey[] }

/** Returns what an input has of one kind, or undefined to look inside the value. */
type Take<T> = (schema: FieldSchema, value: unknown, at: At) => T[] | undefined

const walk = <T>(schema: FieldSchema, value: unknown, at: At, take: Take<T>): T[] => {
  const own = stripNull(schema)
  const taken = take(own, value, at)
  if (taken) return taken
  const { items, maxItems, properties } = own
  const { path } = at
  // The validation refuses it.
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems) return []
  // A list is addressed by its indices like an object by its keys.
  if (Array.isArray(value) && items)
    return value.flatMap((one, i) => walk(items, one, { holder: value as unknown as Holder, path: [...path, i] }, take))
  if (isRecord(value) && properties)
    return Object.entries(properties).flatMap(([key, inner]) =>
      walk(inner, value[key], { holder: value as Holder, path: [...path, key] }, take),
    )
  return []
}

/** Collects from the parts of an input by their schemas. */
export const collect = <T>(op: AnyOperation, input: Record<string, unknown>, take: Take<T>): T[] =>
  walk(getInputSchema(op.input), input, { holder: input, path: [] }, take)

const readReference: Take<Reference> = ({ ref, orRef, word }, value, { holder, path }) => {
  if (ref === undefined || typeof value !== 'string' || value === '' || value.toLowerCase() === word) return undefined
  const key = path.at(-1) ?? ''
  const put = (id: string) => {
    holder[key] = id
  }
  return [{ noun: ref, orNoun: orRef, field: formatFieldName(path), text: value, put }]
}

/** Returns the references of an input. Their `put` modifies that very object. */
export const collectReferences = (
  op: AnyOperation,
  input: Record<string, unknown>,
): { inPath: Reference[]; elsewhere: Reference[] } => {
  const { params } = parseHttp(op.http)
  const found = collect(op, input, readReference)
  return {
    inPath: found
      .filter(({ field }) => params.includes(field))
      .map((one) => (op.createsByRef && parseRef(one.text) ? { ...one, mayBeNew: true } : one)),
    elsewhere: found.filter(({ field }) => !params.includes(field)),
  }
}

export type Contracts = Readonly<Record<string, OperationSet>>

const isWholeList = (op: AnyOperation): boolean => {
  const { method, params } = parseHttp(op.http)
  return method === 'GET' && params.length === 0
}

export const listOperations = (contracts: Contracts, noun: string): AnyOperation[] =>
  Object.values(contracts)
    .flatMap((set) => Object.values(set))
    .filter((op) => op.name.startsWith(`${noun}.`))

/** The noun of the objects of all kinds. */
export const OBJECTS = 'objects'

export type Lookup = {
  readonly op: AnyOperation
  readonly field: string | undefined
  /** Further filters, such as the kind of an object. */
  readonly filters: Readonly<Record<string, string>>
}

/** Returns the way to find objects of a noun or a kind by part of their name: search, a `name` filter, or the list of all. */
export const findLookup = (
  contracts: Contracts,
  { noun, kind }: Pick<Reference, 'noun' | 'kind'>,
  { isSearch }: { isSearch: boolean } = { isSearch: true },
): Lookup | undefined => {
  const filters: Lookup['filters'] = kind === undefined ? {} : { kind_id: kind }
  const ops = listOperations(contracts, noun).filter(isWholeList)
  const search = isSearch && ops.find((op) => op.name === `${noun}.search`)
  if (search) return { op: search, field: 'q', filters }
  const list = ops.find((op) => op.name === `${noun}.all`) ?? ops.find((op) => op.name === `${noun}.list`)
  const fields = Object.keys(list ? (getInputSchema(list.input).properties ?? {}) : {})
  return list && { op: list, field: LABEL_FIELDS.find((field) => fields.includes(field)), filters }
}

const isCode = (error: unknown, code: AppError['code']): boolean => error instanceof AppError && error.code === code

const FUTURE = 'proposal:'

/** Returns true for the id of a change, and for a proposal: neither depends on the time of the call. */
export const isFixedMoment = (asOf: string): boolean => UUID.test(asOf) || asOf.startsWith(FUTURE)

/** Returns the moment at which the names of an input are looked up: of a write into a proposal, that proposal. */
export const getMoment = (
  op: AnyOperation,
  { as_of, proposal }: Readonly<Record<string, unknown>>,
): string | undefined => {
  if (op.supportsAsOf) return typeof as_of === 'string' ? as_of : undefined
  const isKnown = canPropose(op) && typeof proposal === 'string' && proposal !== 'draft' && proposal !== 'open'
  return isKnown ? `${FUTURE}${proposal}` : undefined
}

/** Calls an operation, on a server or in this process. */
export type Ask = (op: AnyOperation, input: Readonly<Record<string, string>>) => Promise<unknown>

export type Names = {
  readonly contracts: Contracts
  /** Calls an operation as of the moment at which names are looked up. */
  readonly ask: Ask
  readonly findId: (reference: Omit<Reference, 'put'>) => Promise<string>
}

/** Resolves names on a server, each once. @param asOf as for `createNamesBy` */
export const createNames = (transport: Transport, contracts: Contracts, asOf?: string): Names =>
  createNamesBy((op, input) => call(transport, op, input), contracts, asOf)

type Sought = Pick<Reference, 'noun' | 'kind'>

/** Resolves names, each once. @param asOf the moment at which names are looked up; now by default */
export const createNamesBy = (askNow: Ask, contracts: Contracts, asOf?: string): Names => {
  const ask: Ask = async (op, input) => {
    if (asOf === undefined || !op.supportsAsOf) return askNow(op, input)
    try {
      return await askNow(op, { ...input, as_of: asOf })
    } catch (error) {
      // A caller with a part of the estate sees no future. The write itself refuses a wrong proposal.
      if (asOf.startsWith(FUTURE) && (isCode(error, 'FORBIDDEN') || isCode(error, 'VALIDATION_ERROR')))
        return askNow(op, input)
      throw error
    }
  }
  const known = new Map<string, Promise<string>>()

  /** Returns the id of the object that has this id or ref: false for none, undefined if the noun has no operation to check that. */
  const idBy = async ({ noun, kind }: Sought, text: string): Promise<string | false | undefined> => {
    const get = listOperations(contracts, noun).find((op) => op.name === `${noun}.get`)
    const param = get && parseHttp(get.http).params[0]
    if (!get || param === undefined) return undefined
    try {
      const row = await ask(get, { [param]: text })
      if (kind !== undefined && !(isRecord(row) && row.kind_id === kind)) return false
      return (parseRef(text) && isRecord(row) && getRowId(row)) || text
    } catch (error) {
      if (isCode(error, 'NOT_FOUND')) return false
      // A caller without the permission to read may still know the id.
      if (isCode(error, 'FORBIDDEN')) return text
      throw error
    }
  }

  const findRows = async ({ op, field, filters }: Lookup, text: string): Promise<Row[]> => {
    const rows: unknown = await ask(op, {
      ...op.cli?.preset,
      ...filters,
      ...(field !== undefined && { [field]: text }),
    })
    return (Array.isArray(rows) ? rows : []).filter(isRecord)
  }

  const find = async (sought: Sought, text: string): Promise<string> => {
    const noun = sought.kind ?? sought.noun
    const known = await idBy(sought, text)
    if (known) return known
    const lookup = findLookup(contracts, sought, { isSearch: known === false })
    // The server validates the text itself if there is no lookup.
    if (!lookup) return text
    const wanted = toNameKey(text.trim())
    const rows = await findRows(known === undefined ? { ...lookup, field: undefined } : lookup, text)
    if (rows.some((row) => getRowId(row) === text)) return text
    const namesakes = rows.filter((row) => toNameKey(getLabel(row) ?? '') === wanted)
    const [id, ...others] = namesakes.flatMap((row) => getRowId(row) ?? [])
    if (id === undefined) throw new AppError('NOT_FOUND', `no ${toSingular(noun)} has the id or name "${text}"`)
    if (others.length === 0) return id
    const candidates = namesakes.map((row) => `${getRowId(row)} (${toPrintable(getLabel(row) ?? '')})`)
    throw createUsageError(`"${text}" is the name of ${namesakes.length} ${noun}; give an id: ${candidates.join(', ')}`)
  }

  const findEither = async (noun: string, orNoun: string, text: string): Promise<string> => {
    try {
      return await find({ noun }, text)
    } catch (error) {
      if (!isCode(error, 'NOT_FOUND')) throw error
    }
    return find({ noun: orNoun }, text).catch((error: unknown) => {
      if (!isCode(error, 'NOT_FOUND')) throw error
      throw new AppError(
        'NOT_FOUND',
        `no ${toSingular(noun)} and no ${toSingular(orNoun)} has the id or name "${text}"`,
      )
    })
  }

  return {
    contracts,
    ask,
    findId: ({ noun, orNoun, kind, text, mayBeNew }) => {
      // A list may be filtered by a deleted object, so its id suffices.
      if (orNoun !== undefined && UUID.test(text)) return Promise.resolve(text)
      const key = `${kind ?? noun} ${orNoun} ${text}`
      const found =
        known.get(key) ?? (orNoun === undefined ? find({ noun, kind }, text) : findEither(noun, orNoun, text))
      known.set(key, found)
      if (!mayBeNew) return found
      return found.catch((error: unknown) => {
        if (isCode(error, 'NOT_FOUND')) return text
        throw error
      })
    },
  }
}
