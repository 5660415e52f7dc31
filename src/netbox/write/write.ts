/** Answers writes: one request is one transaction, and one change. */
import { isStorable } from '../../contract/storable.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import { respondJson, respondNothing } from '../door/answers.ts'
import { type Body, runItem } from '../door/body.ts'
import type { NetboxCall } from '../door/call.ts'
import { createDetail, refuseField } from '../door/errors.ts'
import { DECLARED, type Declared } from '../endpoint/declared.ts'
import { Draft, type RunOperation, type Sent } from '../endpoint/draft.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { findOne, makeAnswers } from '../list/list.ts'
import { findKeys } from '../numbers/numbers.ts'
import { World } from '../world/world.ts'

const MAX_NOTE = 200

/** Returns the reason that the caller gives for the change. @throws NetboxError */
export const readNote = ({ items }: Body): string => {
  const given = items.find(({ changelog_message }) => changelog_message)?.changelog_message
  if (given === undefined) return ''
  if (typeof given !== 'string') throw refuseField('changelog_message', 'Not a valid string.')
  if ([...given].length > MAX_NOTE)
    throw refuseField('changelog_message', `Ensure this field has no more than ${MAX_NOTE} characters.`)
  return given
}

export type Writing<Item> = {
  readonly call: NetboxCall
  readonly endpoint: Endpoint<Item>
  readonly run: RunOperation
}

/** Returns the world of a transaction, with the objects that its caller may list. */
export const openWorld = async <Item>(
  tx: Ctx,
  { call, endpoint }: Pick<Writing<Item>, 'call' | 'endpoint'>,
  { isAtBegin = false }: { readonly isAtBegin?: boolean } = {},
): Promise<World> => {
  const { resource, shows = [] }: Declared = DECLARED[endpoint.path]
  const world = new World(await narrowToListed(tx, [resource, ...shows]), call.links, tx, isAtBegin)
  await endpoint.prepare(world)
  return world
}

/** True if all texts of a value can be stored. */
const holdsStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return isStorable(value)
  return typeof value !== 'object' || value === null || Object.entries(value).flat().every(holdsStorable)
}

/** Takes the fields of a request over into a draft. @param isWhole required fields must be there @throws NetboxError */
export const fillDraft = async <Item>(
  { fields, inputs = [] }: Pick<Endpoint<Item>, 'fields' | 'inputs'>,
  draft: Draft<Item>,
  isWhole: boolean,
): Promise<void> => {
  for (const { name, write } of inputs) {
    draft.begin(name)
    if (Object.hasOwn(draft.sent, name)) await write?.(draft.sent[name], draft)
  }
  for (const { name, write, isRequired } of fields) {
    draft.begin(name)
    const { [name]: value } = draft.sent
    if (!holdsStorable(value)) draft.refuse('Null characters are not allowed.')
    else if (Object.hasOwn(draft.sent, name)) await write?.(value, draft)
    else if (isWhole && isRequired) draft.refuse('This field is required.')
  }
  draft.check()
}

/** Answers the objects of keys, in their order. @param world of the write, if it has changed none of its sets */
export const answerKeys = async <Item>(
  tx: Ctx,
  writing: Writing<Item>,
  keys: readonly string[],
  world?: World,
): Promise<object[]> => {
  const { endpoint } = writing
  const own = world ?? (await openWorld(tx, writing))
  own.forgetNested()
  for (const set of endpoint.changedSets ?? []) own.forget(set)
  if (endpoint.changedSets) await endpoint.prepare(own)
  const found = new Map((await endpoint.source.find(own, [...new Set(keys)])).map((item) => [endpoint.key(item), item]))
  return makeAnswers(
    own,
    endpoint,
    endpoint.fields,
    keys.flatMap((key) => found.get(key) ?? []),
  )
}

/** Returns the world for the next object of a body, which may refer to the one before it. */
const followWrite = async <Item>(tx: Ctx, writing: Writing<Item>, world: World): Promise<World> =>
  writing.endpoint.isSmall ? openWorld(tx, writing) : world

/** Runs a write of each object of the body in one transaction, and returns the answers of the objects. */
const writeAll = async <Item>(
  writing: Writing<Item>,
  body: Body,
  write: (draft: { readonly world: World; readonly tx: Ctx }, sent: Sent, index: number) => Promise<string>,
): Promise<object[]> => {
  const { call } = writing
  return call.write(async (tx) => {
    const keys: string[] = []
    let world = await openWorld(tx, writing, { isAtBegin: true })
    for (const [index, sent] of body.items.entries()) {
      if (index > 0) world = await followWrite(tx, writing, world)
      const parts = { world, tx }
      // Each object takes locks in an order of its own.
      keys.push(await tx.step(() => write(parts, sent, index)))
    }
    return answerKeys(tx, writing, keys, writing.endpoint.isSmall ? undefined : world)
  }, readNote(body))
}

/** Reads the sets of an endpoint before a transaction, which then finds them in memory. */
const readAhead = async <Item>(ctx: Ctx, { call, endpoint }: Writing<Item>): Promise<void> => {
  if (!ctx.caller.scopedPermissions) await endpoint.prepare(new World(ctx, call.links))
}

const respondAll = (
  call: NetboxCall,
  { isList }: Body,
  answers: readonly object[],
  status: number,
): Promise<Response> => {
  const [first] = answers
  if (isList || !first) return respondJson(call, answers, { status })
  const { url } = first as { url?: string }
  return respondJson(call, first, { status, headers: status === 201 && url !== undefined ? { Location: url } : {} })
}

export const answerCreate = async <Item>(ctx: Ctx, writing: Writing<Item>): Promise<Response> => {
  const { call, endpoint, run } = writing
  const body = await call.readBody()
  await readAhead(ctx, writing)
  call.audit.note({ changes: body.isList ? body.items : body.items[0] })
  const answers = await writeAll(writing, body, async ({ world, tx }, sent, index) => {
    const draft = new Draft<Item>({ world, tx, run, item: undefined, sent })
    return runItem({ index, body, names: draft.names }, async () => {
      await fillDraft(endpoint, draft, true)
      return getOrThrow(endpoint.writes?.create)(draft)
    })
  })
  return respondAll(call, body, answers, 201)
}

const getOrThrow = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the route has a write that its endpoint has not')
  return value
}

/** Returns the item that an object of a list names by its `id`. */
const findSent = async <Item>(world: World, endpoint: Endpoint<Item>, { id }: Sent): Promise<Item> => {
  const number = typeof id === 'string' && /^\d{1,10}$/.test(id) ? Number(id) : id
  if (typeof number !== 'number') throw refuseField('id', 'This field is required.')
  const key = (await findKeys(world.writer, endpoint.kind, [number])).get(number)
  const [item] = key === undefined ? [] : await endpoint.source.find(world, [key])
  if (item === undefined) throw refuseField('id', `Related object not found using the provided numeric ID: ${number}`)
  return item
}

/** Finds the item of a write: by the path, or by the object of a list. @throws NetboxError 409 for one that is no object */
const findItem = async <Item>({ call, endpoint }: Writing<Item>, world: World, sent: Sent): Promise<Item> => {
  const { id } = call.params
  const item = await (id === undefined ? findSent(world, endpoint, sent) : findOne(world, endpoint, id))
  if (!endpoint.isStandIn?.(item)) return item
  const noun = DECLARED[endpoint.path].label.toLowerCase()
  throw createDetail('IN_USE', `This ${noun} stands for what Plat has no object of, and is not written`)
}

/** @param isWhole a PUT wants the required fields, and keeps the others like a PATCH */
export const answerUpdate = async <Item>(ctx: Ctx, writing: Writing<Item>, isWhole: boolean): Promise<Response> => {
  const { call, endpoint, run } = writing
  const body = await readItems(call)
  await readAhead(ctx, writing)
  call.audit.note({ changes: body.isList ? body.items : body.items[0], ...noteId(call) })
  const answers = await writeAll(writing, body, async ({ world, tx }, sent, index) => {
    const item = await runItem({ index, body, names: {} }, () => findItem(writing, world, sent))
    const draft = new Draft<Item>({ world, tx, run, item, sent })
    return runItem({ index, body, names: draft.names }, async () => {
      await fillDraft(endpoint, draft, isWhole)
      return getOrThrow(endpoint.writes?.update)(draft, item)
    })
  })
  return respondAll(call, body, answers, 200)
}

const noteId = ({ params: { id } }: NetboxCall) => (id === undefined ? {} : { resourceId: id })

/** Reads the body of a write: without a number in the path it is a list. */
const readItems = async (call: NetboxCall): Promise<Body> => {
  const body = await call.readBody()
  if (call.params.id === undefined && !body.isList) throw refuseField('non_field_errors', 'Expected a list of items.')
  if (call.params.id !== undefined && body.isList)
    throw refuseField('non_field_errors', 'Invalid data. Expected a dictionary.')
  return body
}

export const answerDelete = async <Item>(writing: Writing<Item>): Promise<Response> => {
  const { call, endpoint, run } = writing
  // Clients send no body, or any, with a number in the path.
  const body: Body = call.params.id === undefined ? await readItems(call) : { isList: false, items: [{}] }
  call.audit.note({ ...(body.isList && { changes: body.items }), ...noteId(call) })
  await call.write(async (tx) => {
    let world = await openWorld(tx, writing, { isAtBegin: true })
    for (const [index, sent] of body.items.entries()) {
      if (index > 0) world = await followWrite(tx, writing, world)
      const parts = { world, tx, run, sent }
      await tx.step(() =>
        runItem({ index, body, names: {} }, async () => {
          const item = await findItem(writing, parts.world, sent)
          await getOrThrow(endpoint.writes?.remove)(new Draft<Item>({ ...parts, item }), item)
        }),
      )
    }
  }, readNote(body))
  return respondNothing()
}
