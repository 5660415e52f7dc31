/** The device as it is sent and stored, and as it is given, for the contracts that answer with devices. Browser-safe. */
import { z } from 'zod'
import { DnsName, IpAddress, MacAddress } from '../../contract/fields/address-field.ts'
import { ManagedByFilter } from '../../contract/fields/external-fields.ts'
import {
  Filter,
  filterGivenTexts,
  idOf,
  line,
  optionalNumber,
  Page,
  reference,
  SearchText,
  Tags,
  text,
} from '../../contract/fields/fields.ts'
import { sortField } from '../../contract/fields/sort.ts'
import { DOMAIN_NAME, explainText, matchWhole } from '../../contract/fields/text-rules.ts'
import { crud } from '../../resource/crud.ts'
import { type CustomPatch, customFilter, customInput, customOutput } from '../../resource/custom/fields.ts'
import { Mount, MountInput } from '../racks/mount.ts'
import { SpaceFilter, SpaceId, SpaceOf, withSpace } from '../spaces/fields.ts'
import { deviceFacts } from './resource.ts'

export const DeviceStatus = z.enum(deviceFacts.fields.status.of)

/** Roles of an address that several devices have at once: no conflict by itself. */
const SHARED_ROLES = ['anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp'] as const

export const ADDRESS_ROLES = ['loopback', 'secondary', ...SHARED_ROLES] as const

/** True for an address that other devices may have too. */
export const isSharedAddress = ({ role }: { readonly role?: string | undefined }): boolean =>
  SHARED_ROLES.some((one) => one === role)

export const Address = z
  .object({
    ip: z.string(),
    port: z.int().nullable(),
    type: z.string(),
    label: z.string(),
    network_id: z.string().nullable(),
    switch_port: z.string(),
    interface: z.string().optional().describe('The port of the device itself; absent where none is recorded'),
    role: z.enum(ADDRESS_ROLES).optional().describe('What the address is for; absent without a role'),
    mac_address: z.string(),
    dns_name: z.string(),
    pool_id: z.string().nullable(),
    space_id: SpaceOf,
    custom: customOutput('addresses'),
  })
  .meta({ id: 'Address' })
export type Address = z.infer<typeof Address>

/** The largest number of tags of one device. */
export const MAX_TAGS = 100

/** The largest number of addresses of one device. */
export const MAX_ADDRESSES = 1000

type CustomValues = NonNullable<CustomPatch>

const AddressInput = z
  .object({
    ip: IpAddress,
    port: optionalNumber(1, 65_535).prefault(null),
    type: text(64).prefault(null).describe('ipv4 or ipv6 by its family, where absent'),
    label: text(128).prefault(null),
    network_id: reference('networks').prefault(null),
    switch_port: text(255).prefault(null),
    interface: text(64)
      .transform((name) => name.normalize('NFC'))
      .prefault(null)
      .describe('The port of the device itself'),
    role: z
      .enum([...ADDRESS_ROLES, ''], { error: `must be one of ${ADDRESS_ROLES.join(', ')}` })
      .nullable()
      .prefault(null)
      .describe('An address with one of the last six may be of several devices'),
    mac_address: MacAddress.prefault(null),
    dns_name: DnsName.prefault(null).describe('Its name in the DNS'),
    pool_id: reference('pools').prefault(null),
    space_id: SpaceId.prefault(null),
    custom: customInput('addresses').prefault(null),
  })
  .transform(({ interface: port, role, space_id, custom, ...address }) => {
    const type = address.type || (address.ip.includes(':') ? 'ipv6' : 'ipv4')
    const values: { readonly custom?: CustomValues | undefined } = custom ? { custom } : {}
    const given: { readonly role?: (typeof ADDRESS_ROLES)[number] | undefined } = role ? { role } : {}
    return withSpace({ ...address, ...filterGivenTexts({ interface: port }), ...given, type, ...values }, space_id)
  })

/** Changes single tags, so that concurrent changes of other tags are kept. */
const retag = {
  add_tags: Tags.describe('Adds these tags and keeps the others'),
  remove_tags: Tags.describe('Removes these tags and keeps the others'),
}

export const base = crud(deviceFacts, {
  schemas: {
    addresses: {
      input: z
        .array(AddressInput)
        .max(MAX_ADDRESSES)
        .nullable()
        .transform((addresses) => addresses ?? []),
      answer: z.array(Address),
    },
    domains: {
      input: z
        .array(
          line(253)
            .refine(DOMAIN_NAME.holds, { error: ({ input }) => explainText(DOMAIN_NAME, String(input)) })
            .meta({ exact: { pattern: matchWhole(DOMAIN_NAME.pattern) } }),
        )
        .nullable()
        .transform((domains) => domains ?? []),
      answer: z.array(z.string()),
    },
    mount: { input: MountInput, answer: Mount.optional().describe('The place in a rack; absent without one') },
  },
  listShows: ['datacenters'],
  patch: { add_tags: retag.add_tags.optional(), remove_tags: retag.remove_tags.optional() },
  listInput: () =>
    z.object({
      tags: z.array(Filter).optional().describe('Only devices with all these tags'),
      datacenter_id: idOf('datacenters').optional(),
      network_id: idOf('networks').optional(),
      space_id: SpaceFilter.describe('Only devices with an address in this space, or `default`'),
      status: DeviceStatus.optional(),
      rack_id: idOf('racks').optional(),
      device_type_id: idOf('device-types').optional(),
      serial: Filter.optional(),
      asset_tag: Filter.optional(),
      role: Filter.optional(),
      managed_by: ManagedByFilter,
      custom: customFilter('devices'),
      q: SearchText.optional().describe('Words of a search, or a CIDR'),
      sort: sortField(),
      ...Page,
    }),
})
export const Device = base.Item
export type Device = z.infer<typeof Device>

/** A device as it is shown alone, with what the caller asks for. */
export const ShownDevice = Device.extend({
  networks: z
    .array(
      z
        .object({ ip: z.string(), space_id: SpaceOf, id: z.string(), name: z.string(), subnet: z.string() })
        .meta({ id: 'AddressNetwork' }),
    )
    .optional()
    .describe('With include=networks: the network that each address belongs to'),
}).meta({ id: 'ShownDevice', columns: deviceFacts.columns })
export type ShownDevice = z.infer<typeof ShownDevice>
