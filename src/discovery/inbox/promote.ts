/** Makes devices of discovered ones. */

import type { z } from 'zod'
import { AppError, invalid, invalidField, notFound } from '../../contract/errors.ts'
import { getOwn } from '../../contract/own.ts'
import { parse } from '../../contract/validate.ts'
import { DeviceDraft } from '../../inventory/devices/api.ts'
import * as devices from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import { attemptEach, createItemErrors, type ItemError } from '../../kernel/bulk/attempt.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { isHostname } from '../../net/dns-name.ts'
import * as store from '../devices/discovered-store.ts'
import { type DiscoveredRecord, getMacs } from '../devices/records.ts'
import { Promotion, type PromotionOfMany } from '../inputs.ts'
import type { DiscoveredDevice } from '../schema.ts'
import { classify, toDrafts } from './classify.ts'

type Wanted = Omit<Promotion, 'id'>

/** Loads the record, with other writers kept off it. @throws AppError NOT_FOUND */
export const loadOrThrow = async (
  ctx: Ctx,
  id: string,
): Promise<DiscoveredRecord & { readonly doc: DiscoveredDevice }> => {
  const record = (await store.loadByIds(ctx, [id])).byId.get(id)
  if (!record?.doc) throw notFound('discovered device', id)
  return { ...record, doc: record.doc }
}

const draftFor = (
  record: DiscoveredRecord,
  discovered: DiscoveredDevice,
  { address_custom = null, ...wanted }: Wanted,
): DeviceDraft => {
  const { hostname, model = '', os_guess, network_id, addresses, ip, mac_address } = discovered
  const macs = getMacs(record)
  const up = addresses.filter(({ status }) => status === 'up').map((one) => one.ip)
  const input: z.input<typeof DeviceDraft> = {
    hostname: isHostname(hostname) ? hostname : '',
    make_model: model.slice(0, 255),
    os: os_guess.slice(0, 255),
    // Given values come last and win.
    ...wanted,
    addresses: (up.length > 0 ? up : [ip]).map((one) => ({
      ip: one,
      network_id,
      mac_address: macs.get(one) ?? mac_address,
      custom: address_custom,
    })),
  }
  return parse(DeviceDraft, input)
}

/** Names the given field in errors about the addresses that are made of it. */
const renameErrorFields = (error: unknown): unknown => {
  const ofAddress = /^addresses\[\d+\]\.custom(?=$|\.)/
  if (!(error instanceof AppError) || !error.details.some(({ field }) => ofAddress.test(field))) return error
  const details = error.details.map((one) => ({ ...one, field: one.field.replace(ofAddress, 'address_custom') }))
  return error.code === 'VALIDATION_ERROR' ? invalid(details) : new AppError(error.code, error.message, { details })
}

/** @throws AppError NOT_FOUND; ALREADY_EXISTS for a promoted device; and the errors of creating a device. */
export const promote = async (ctx: Ctx, { id, ...wanted }: Promotion): Promise<Device> => {
  ctx.require('devices:create')
  const record = await loadOrThrow(ctx, id)
  const { doc } = record
  if (doc.promoted_to_device_id !== null)
    throw new AppError('ALREADY_EXISTS', `It is documented already, as the device ${doc.promoted_to_device_id}`)
  const device = await devices.create(ctx, draftFor(record, doc, wanted), 'promoted').catch((error: unknown) => {
    throw renameErrorFields(error)
  })
  const promoted = { ...doc, promoted_to_device_id: device.id, promoted_at: ctx.now, updated_at: ctx.now }
  await store.save(ctx, await classify(ctx, doc.network_id, toDrafts(record, { device: promoted })))
  return device
}

/**
 * The name that a template makes of a device.
 * @example renderName('rack1-{hostname}', { hostname: 'web', ip: '10.0.0.1', mac_address: '', vendor: '' }, 1) // 'rack1-web'
 */
export const renderName = (
  template: string,
  { hostname, ip, mac_address, vendor }: Pick<DiscoveredDevice, 'hostname' | 'ip' | 'mac_address' | 'vendor'>,
  n: number,
): string => {
  const words: Readonly<Record<string, string>> = {
    hostname: hostname || ip,
    ip,
    mac: mac_address,
    vendor,
    n: String(n),
  }
  return template.replace(/\{(\w+)\}/g, (whole, word: string) => getOwn(words, word) ?? whole).trim()
}

type ItemResult<Word extends string, T> = {
  readonly index: number
  readonly id: string
  readonly status: Word | 'failed'
  readonly error?: ItemError
} & Partial<T>

type EachItem<Item, Word extends string, T> = {
  readonly word: Word
  readonly idOf: (item: Item) => string
  readonly run: (item: Item, index: number) => Promise<T>
  readonly permission?: Permission
  /** Fields of all items that name other objects. */
  readonly shared?: Partial<Wanted>
}

/** Processes each item separately: a failure undoes its own changes only, and is reported at its index. */
export const processItems = async <Item, const Word extends string, T extends object>(
  ctx: Ctx,
  items: readonly Item[],
  { word, idOf, run, permission = 'discovery:update', shared = {} }: EachItem<Item, Word, T>,
) => {
  const guard = { permission, schema: Promotion, params: ['id'], isCreate: false }
  const runOne = (item: Item, index: number): Promise<T> => {
    const input = { ...shared, id: idOf(item) }
    return ctx.checkScope({ ...guard, input, given: input }, () => run(item, index))
  }
  const results: ItemResult<Word, T>[] = []
  const itemError = createItemErrors()
  for await (const { index, item, outcome } of attemptEach(ctx, items, { isAtomic: false, run: runOne })) {
    const result =
      outcome instanceof AppError ? { status: 'failed', error: itemError(outcome) } : { status: word, ...outcome }
    // A failed item has none of the fields of T, which are all optional in it.
    results.push({ index, id: idOf(item), ...result } as ItemResult<Word, T>)
  }
  const failed = results.filter(({ status }) => status === 'failed').length
  return { results, succeeded: results.length - failed, failed }
}

export const promoteMany = async (ctx: Ctx, { ids, name: template, ...wanted }: PromotionOfMany) => {
  ctx.require('devices:create')
  return processItems(ctx, ids, {
    word: 'promoted',
    idOf: (id) => id,
    shared: wanted,
    run: async (id, index) => {
      const { doc } = await loadOrThrow(ctx, id)
      const name = renderName(template, doc, index + 1).slice(0, 255)
      if (name === '') throw invalidField('name', 'is blank for this device')
      return { device: await promote(ctx, { id, name, ...wanted }) }
    },
  })
}
