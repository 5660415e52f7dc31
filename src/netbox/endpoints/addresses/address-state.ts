/** The state of an address in a write: its place, and the values that it keeps when it moves between devices and pools. */
import type { Custom, CustomPatch } from '../../../resource/custom/fields.ts'
import type { Draft } from '../../endpoint/draft.ts'
import { describeAddress } from '../../world/addresses.ts'
import type { World } from '../../world/world.ts'
import type { AddressItem } from './address-items.ts'

export type AddressDraft = Draft<AddressItem>

/** The interface of a device: '' for an address without a name of one. */
export type Target = { readonly deviceId: string; readonly interface: string }

export type AddressState = {
  readonly ip: string
  readonly spaceId: string | null
  /** Undefined for a reservation. */
  readonly target: Target | undefined
  readonly dnsName: string
  readonly description: string
  readonly comments: string
  readonly role: string
  readonly mac: string
  readonly custom: Custom
}

const NONE: Custom = {}

/** An address before its creation. */
export const NO_STATE: AddressState = {
  ...{ ip: '', spaceId: null, target: undefined, dnsName: '', description: '', comments: '', role: '', mac: '' },
  custom: NONE,
}

/** Custom fields that serve as a field which either addresses of devices or reservations have themselves. */
const OWN = { comments: 'comments', role: 'role' } as const

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

const without = (custom: Custom, names: readonly string[]): Custom =>
  Object.fromEntries(Object.entries(custom).filter(([name]) => !names.includes(name)))

/** Returns the state of an address before a write. */
export const toState = ({ ip, spaceId, dnsName, held, reservation, custom = NONE }: AddressItem): AddressState => {
  const own = {
    ip,
    spaceId,
    dnsName,
    custom: without(custom, Object.values(OWN)),
    comments: reservation?.notes ?? toText(custom.comments),
    role: held ? (held.address.role ?? '') : toText(custom.role),
    mac: held?.address.mac_address ?? reservation?.mac_address ?? '',
  }
  if (!held) return { ...own, target: undefined, description: reservation?.purpose ?? '' }
  const { device, address } = held
  const target = { deviceId: device.id, interface: address.interface ?? '' }
  return { ...own, target, description: describeAddress(address) === '' ? '' : address.label }
}

const merge = (custom: Custom, patch: CustomPatch | undefined): Custom =>
  Object.fromEntries(
    Object.entries({ ...custom, ...patch }).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, value]],
    ),
  )

/** The values that the fields of a request set in `Draft.input`. */
export type AddressInput = Partial<
  Pick<AddressState, 'ip' | 'spaceId' | 'dnsName' | 'description' | 'comments' | 'role'>
> & { readonly target?: Target | null; readonly custom?: CustomPatch }

/** Returns the state after a write. */
export const applyInput = (before: AddressState, { custom, target, ...given }: AddressInput): AddressState => ({
  ...before,
  ...given,
  ...(target !== undefined && { target: target ?? undefined }),
  custom: merge(before.custom, custom),
})

const MAX_LABEL = 128

/** Refuses values that the place of the address has no field for. They would be lost. */
export const checkPlace = (draft: AddressDraft, { target, description, comments, role }: AddressState): void => {
  const has = (name: string, world: World): boolean => world.getDefinitions('addresses').has(name)
  const refuse = (field: string, value: string) =>
    draft.refuseAt(field, `"${value}" has no place here: define the custom field "${field}" of addresses`)
  if (!target && role !== '' && !has('role', draft.world)) refuse('role', role)
  if (!target) return
  if (comments !== '' && !has('comments', draft.world)) refuse('comments', comments.slice(0, MAX_LABEL))
  if (description.length > MAX_LABEL)
    draft.refuseAt('description', `Ensure this field has no more than ${MAX_LABEL} characters on an interface.`)
  else if (description !== '' && description === target.interface)
    draft.refuseAt('description', 'is the name of the interface, with which it is stored as none')
}

/** Returns the custom fields as an address of a device stores them. */
const toHeldCustom = ({ custom, comments }: AddressState): Custom => ({
  ...custom,
  ...(comments !== '' && { comments }),
})

/** Returns the fields of an address of a device. */
export const toHeldFields = (state: AddressState) => ({
  ...{ ip: state.ip, space_id: state.spaceId, interface: state.target?.interface ?? '', label: state.description },
  ...{ mac_address: state.mac, dns_name: state.dnsName, role: state.role, custom: toHeldCustom(state) },
})

/** Returns the fields of a reservation. */
export const toFreeFields = ({ custom, role, dnsName, description, comments, mac }: AddressState) => ({
  ...{ hostname: dnsName, purpose: description, notes: comments, mac_address: mac },
  custom: { ...custom, ...(role !== '' && { role }) },
})
