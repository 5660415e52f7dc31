/** The rules of own records. They replace what devices give for their name and type. */

import { AppError, type FieldIssue, invalidField, notFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import { listRows } from '../../kernel/list.ts'
import { isNameWithin, normalizeName } from '../../net/dns/name.ts'
import { checkValue, normalizeValue } from '../../net/dns/value.ts'
import { explainName } from '../../net/dns-name.ts'
import { type DnsRecord, type DnsRecordDraft, type DnsRecordPatch, dnsRecords } from './api.ts'
import * as store from './store.ts'

export const { findRecordsByNames, findRecordsOfType, removeZone } = store

type Zone = { readonly id: string; readonly name: string }

/** @throws AppError VALIDATION_ERROR without the zone, which stays until commit */
const lockZone = async (ctx: Ctx, id: string): Promise<Zone> => {
  const rows = ctx.db.selectFrom('dns_zones').select(['id', 'name']).where('id', '=', id)
  const zone = await ctx.store.sql.lockRows(rows).executeTakeFirst()
  if (!zone) throw invalidField('zone_id', `there is no DNS zone with id "${id}"`)
  return zone
}

/**
 * Returns a name relative to its zone; undefined for one that is invalid or outside of it.
 * @example parseRelativeName('www.example.org.', 'example.org') // 'www'
 * @example parseRelativeName('www', 'example.org') // 'www'
 */
export const parseRelativeName = (text: string, zone: string): string | undefined => {
  if (text === '@') return '@'
  const name = normalizeName(text)
  if (name === undefined || name === '.') return undefined
  if (isNameWithin(name, zone)) return name === zone ? '@' : name.slice(0, -zone.length - 1)
  const isFull = /(?:^|[^\\])(?:\\\\)*\.$/.test(text)
  return !isFull && normalizeName(`${name}.${zone}`) !== undefined ? name : undefined
}

type Fields = Pick<DnsRecord, 'name' | 'type' | 'value'>

const validateValue = ({ type, value }: Fields): FieldIssue[] => {
  const problem = checkValue(type, value)
  return problem === undefined ? [] : [{ field: 'value', message: problem }]
}

const validateName = ({ name, type }: Fields, zone: Zone): FieldIssue[] => {
  const relative = parseRelativeName(name, zone.name)
  if (relative === undefined) return [{ field: 'name', message: explainName(name, `a name in the zone ${zone.name}`) }]
  return relative === '@' && (type === 'CNAME' || type === 'NS')
    ? [{ field: 'name', message: `the zone itself can have no own ${type}` }]
    : []
}

/** @throws AppError VALIDATION_ERROR for a CNAME beside another record, ALREADY_EXISTS for the same again */
const checkBeside = async (ctx: Ctx, record: DnsRecord): Promise<void> => {
  const others = (await store.findRecordsByNames(ctx, record.zone_id, [record.name])).filter(
    ({ id }) => id !== record.id,
  )
  if (others.some(({ type, value }) => type === record.type && value === record.value))
    throw new AppError('ALREADY_EXISTS', `The record ${record.fqdn} ${record.type} ${record.value} exists already`)
  if (others.length > 0 && [record, ...others].some(({ type }) => type === 'CNAME'))
    throw invalidField('name', `a CNAME can have no other record beside it, and ${record.fqdn} has`)
}

/** Returns the record with the canonical forms of its fields. @throws AppError VALIDATION_ERROR */
const toCanonical = <F extends Fields>(fields: F, zone: Zone): F & { readonly fqdn: string } => {
  rejectIssues([...validateName(fields, zone), ...validateValue(fields)])
  const name = parseRelativeName(fields.name, zone.name) ?? fields.name
  const value = normalizeValue(fields.type, fields.value) ?? fields.value
  return { ...fields, name, value, fqdn: store.buildFqdn(name, zone.name) }
}

/** Returns a new record. @throws AppError as `validateName`, `validateValue` and `checkBeside` */
const build = async (ctx: Ctx, { id = ctx.newId(), ...draft }: DnsRecordDraft): Promise<DnsRecord> => {
  const zone = await lockZone(ctx, draft.zone_id)
  if (await store.find(ctx, id)) throw new AppError('ALREADY_EXISTS', `A record with id "${id}" exists already`)
  const { zone_id, name, type, ttl, value, description } = draft
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const { fqdn, ...fields } = toCanonical({ name, type, value }, zone)
  const record: DnsRecord = {
    ...{ id, zone_id, name: fields.name, fqdn, type, ttl, value: fields.value, description },
    ...times,
  }
  await checkBeside(ctx, record)
  return record
}

export const create = async (ctx: Ctx, draft: DnsRecordDraft): Promise<DnsRecord> => {
  const record = await build(ctx, draft)
  await store.insert(ctx, record)
  await ctx.emit('dns-record.created', record)
  return record
}

const getOrThrow = async (ctx: Ctx, id: string): Promise<DnsRecord> => {
  const record = await store.find(ctx, id)
  if (!record) throw notFound('dns-record', id)
  return record
}

/** Locks the zone of a record, which keeps the record until commit. */
const lockForChange = async (ctx: Ctx, id: string): Promise<{ readonly before: DnsRecord; readonly zone: Zone }> => {
  const zone = await lockZone(ctx, (await getOrThrow(ctx, id)).zone_id)
  const before = await getOrThrow(ctx, id)
  ctx.precondition(before)
  return { before, zone }
}

const update = async (ctx: Ctx, { id, zone_id, ...patch }: DnsRecordPatch): Promise<DnsRecord> => {
  const { before, zone } = await lockForChange(ctx, id)
  if (zone_id && zone_id !== before.zone_id)
    throw invalidField('zone_id', "can't change; create a record in the other zone")
  const { value: fields } = merge(before, patch)
  const { value, changes } = merge(before, toCanonical(fields, zone))
  if (changes.length === 0) return before
  const record = { ...value, updated_at: ctx.now }
  await checkBeside(ctx, record)
  await store.update(ctx, record)
  await ctx.emit('dns-record.updated', { record, before })
  return record
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const { before } = await lockForChange(ctx, id)
  await store.deleteRow(ctx, id)
  await ctx.emit('dns-record.deleted', before)
}

export const feature: Feature = {
  operations: implement(dnsRecords, {
    list: async (ctx, { zone_id, type, name, ...page }) => {
      const revision = await ctx.store.revision(['dns_records', 'dns_zones'])
      let query = store.query(ctx)
      if (zone_id) query = query.where('dns_records.zone_id', '=', zone_id)
      if (type) query = query.where('dns_records.type', '=', type)
      if (name) query = query.where(containsText('dns_records.name', name))
      return listRows(ctx, { revision, query, page, row: store.fromRow })
    },
    create: async (ctx, { dry_run, ...draft }) =>
      dry_run ? new WithStatus(200, await build(ctx, draft), true) : create(ctx, draft),
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
}
