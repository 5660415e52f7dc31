/** The calls that give a free address away. Each is one change, which its answer names. */

import { AppError } from '../../../src/contract/errors.ts'
import { KEY_HEADER } from '../../../src/contract/idempotency-key.ts'
import { api, callTagged, getWritten } from '../api/client.ts'
import { contracts, type Device, type In } from '../api/contracts.ts'
import { isCode, toAppError } from '../api/errors.ts'
import type { Written } from '../api/proposing.ts'
import { parseCustomInput } from '../custom-fields/known-text.ts'
import type { Proposing } from '../proposals/known-proposals.ts'

export type GiveForm = {
  readonly label: string
  readonly mac_address: string
  readonly name: string
  readonly hostname: string
  readonly purpose: string
  /** As a field of the browser has it; '' for none. */
  readonly ends: string
  /** Custom fields, as `formatCustom` writes them. */
  readonly custom: string
}

export const EMPTY_FORM: GiveForm = {
  ...{ label: '', mac_address: '', name: '', hostname: '', purpose: '', ends: '', custom: '' },
}

/** A free address, with where it is. */
export type FreeIp = {
  readonly ip: string
  readonly networkId: string
  readonly poolId: string | undefined
  readonly spaceId: string | undefined
}

export type Given = { readonly written: Written; readonly device?: Device }

/** A pool that is created for a reservation. */
export type NewPool = { readonly name: string; readonly start_ip: string; readonly end_ip: string }

type Asked = {
  readonly form: GiveForm
  /** The field of a call that can only be proposed. */
  readonly field: Proposing['field']
}

const readCustom = (text: string) => {
  const custom = parseCustomInput(text)
  return custom ? { custom } : {}
}

/** @param key of the request: sent again, it gives no second address away */
export const giveToDevice = async (
  { ip, networkId }: FreeIp,
  { deviceId, form, key, field }: Asked & { readonly deviceId: string; readonly key: string },
): Promise<Given> => {
  const { value } = await callTagged(
    contracts.networks.allocateIp,
    {
      ...{ id: networkId, ip, device_id: deviceId, label: form.label, mac_address: form.mac_address.trim() },
      ...readCustom(form.custom),
      ...field,
    },
    { headers: { [KEY_HEADER]: key } },
  )
  return { written: getWritten(value), device: await api.devices.get({ id: deviceId }) }
}

/** Outside of pools two devices may have one address, so that it is checked before. @throws AppError IP_NOT_AVAILABLE */
const checkFree = async ({ ip, spaceId = 'default' }: FreeIp): Promise<void> => {
  const { state } = await api.lookup.show({ query: ip, space_id: spaceId })
  if (state === 'assigned' || state === 'reserved') throw new AppError('IP_NOT_AVAILABLE', `${ip} is taken`)
}

export const createDevice = async (
  free: FreeIp,
  {
    form,
    field,
    mayLookUp,
  }: { readonly form: GiveForm; readonly field: Proposing['field']; readonly mayLookUp: boolean },
): Promise<Given> => {
  if (mayLookUp) await checkFree(free)
  const { ip, networkId, poolId = null, spaceId } = free
  const space = spaceId === undefined ? {} : { space_id: spaceId }
  const address = { ip, network_id: networkId, pool_id: poolId, ...space, ...readCustom(form.custom) }
  const named = { name: form.name.trim(), addresses: [address], ...field }
  const { value } = await callTagged(contracts.devices.create, named)
  return { written: getWritten(value), device: value }
}

const buildReservation = ({ hostname, purpose, mac_address, ends, custom }: GiveForm) => ({
  ...{ hostname: hostname.trim(), purpose, mac_address: mac_address.trim(), ...readCustom(custom) },
  ...(ends === '' ? {} : { expires_at: new Date(ends).toISOString() }),
})

type EstateDocument = In<(typeof contracts)['estate']['apply']>

/** Applies a document. A refusal of it has no code of its own for a taken address, which a plan has. @throws AppError IP_NOT_AVAILABLE */
const applyDocument = async (document: EstateDocument): Promise<Given> => {
  try {
    const { value } = await callTagged(contracts.estate.apply, document)
    return { written: getWritten(value) }
  } catch (error) {
    if (!isCode(error, 'VALIDATION_ERROR')) throw error
    const { errors } = await api.estate.apply({ ...document, atomic: false, dry_run: true })
    const taken = errors.find(({ code }) => code === 'IP_NOT_AVAILABLE')
    throw taken ? new AppError('IP_NOT_AVAILABLE', taken.error) : error
  }
}

export const reserve = async (
  { ip, networkId, poolId }: FreeIp,
  { form, pool, field }: Asked & { readonly pool: NewPool },
): Promise<Given> => {
  const reservation = buildReservation(form)
  if (poolId !== undefined) {
    const input = { pool_id: poolId, ip_address: ip, ...reservation }
    const { value } = await callTagged(contracts.reservations.create, input)
    return { written: getWritten(value) }
  }
  const id = crypto.randomUUID()
  return applyDocument({
    ...field,
    pools: [{ id, network_id: networkId, ...pool }],
    reservations: [{ pool_id: id, ip_address: ip, ...reservation }],
  })
}

/** Maps the fields of the dialog to messages. A document and a device name the row of a list before the field. */
export const getGiveErrors = (error: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    toAppError(error).details.map(({ field, message }) => [
      field.replace(/^(reservations|addresses)\[0\]\./, '').replace(/^expires_at$|^ttl_seconds$/, 'ends'),
      message,
    ]),
  )
