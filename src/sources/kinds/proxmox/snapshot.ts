/** The answers of Proxmox VE that are read, and the snapshot that is made of them. Numbers come as numbers or as texts. */
import { z } from 'zod'

/** @example '106', 106 */
const Digits = z.union([z.int(), z.string().regex(/^\d{1,9}$/)]).transform(String)
const Amount = z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)]).transform(Number)
/** Perl has no booleans: 1, '1', 0, '0', '' and null. */
const Flag = z.union([z.boolean(), z.number(), z.string(), z.null()]).transform((value) => Number(value) === 1)
/** A name that is a part of a path. */
const NodeName = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, 'is no name of a node')
const Text = z.union([z.string(), z.number()]).transform(String)

/** A field that may be absent or null. */
const maybe = <S extends z.ZodType>(field: S) => field.nullish().transform((value) => value ?? undefined)

const wrap = <S extends z.ZodType>(data: S) => z.object({ data })

export const VersionAnswer = wrap(z.object({ version: z.string() }))

export const StatusAnswer = wrap(
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('cluster'), name: z.string() }),
      z.object({ type: z.literal('node'), name: NodeName, ip: maybe(z.string()), online: maybe(Flag) }),
    ]),
  ),
)

/** The guests and nodes among the resources; storages, pools and networks are passed over. */
export const ResourcesAnswer = wrap(z.array(z.looseObject({ type: z.string() })))

export const GuestResource = z.object({
  type: z.enum(['qemu', 'lxc']),
  vmid: Digits,
  node: NodeName,
  name: maybe(Text),
  status: maybe(z.string()),
  template: maybe(Flag),
  tags: maybe(z.string()),
  maxcpu: maybe(Amount),
  maxmem: maybe(Amount),
  maxdisk: maybe(Amount),
})
export type GuestResource = z.output<typeof GuestResource>

export const NodeResource = z.object({
  type: z.literal('node'),
  node: NodeName,
  status: maybe(z.string()),
  maxcpu: maybe(Amount),
  maxmem: maybe(Amount),
})
export type NodeResource = z.output<typeof NodeResource>

const Interface = z.object({
  iface: z.string(),
  type: z.string(),
  cidr: maybe(z.string()),
  cidr6: maybe(z.string()),
  'vlan-id': maybe(Digits),
})
export const NetworkAnswer = wrap(z.array(Interface))

/** Descriptions, commands and passwords of guests are never kept. */
const CONFIG = /^(?:net\d+|ipconfig\d+|agent|hostname|name|tags|ostype|smbios1)$/
export const ConfigAnswer = wrap(
  z
    .record(z.string(), z.unknown())
    .transform((config) =>
      Object.fromEntries(
        Object.entries(config).flatMap(([key, value]) =>
          CONFIG.test(key) && (typeof value === 'string' || typeof value === 'number') ? [[key, String(value)]] : [],
        ),
      ),
    ),
)

const AgentAddress = z.object({ 'ip-address': z.string() })
/** An interface that the agent of a QEMU guest tells, or the list of a container; the list has both forms. */
const GuestInterface = z
  .object({
    hwaddr: maybe(z.string()),
    'hardware-address': maybe(z.string()),
    inet: maybe(z.string()),
    inet6: maybe(z.string()),
    'ip-addresses': z.array(AgentAddress).nullish(),
  })
  .transform((one) => ({
    mac: one['hardware-address'] ?? one.hwaddr ?? '',
    ips: [
      ...new Set([
        ...(one['ip-addresses'] ?? []).map((address) => address['ip-address']),
        ...[one.inet, one.inet6].flatMap((cidr) => (cidr ? [cidr.replace(/\/.*$/, '')] : [])),
      ]),
    ],
  }))
export const AgentAnswer = wrap(z.object({ result: z.array(GuestInterface) }))
export const ContainerAnswer = wrap(
  z
    .array(GuestInterface)
    .nullable()
    .transform((list) => list ?? []),
)

const Amounts = { cpu: z.number().optional(), memory: z.number().optional() }

export const Snapshot = z.object({
  version: z.string(),
  /** '' for a node without a cluster. */
  cluster: z.string(),
  nodes: z.array(
    z.object({
      name: NodeName,
      ip: z.string(),
      is_online: z.boolean(),
      ...Amounts,
      /** Null if it is off. */
      interfaces: z
        .array(
          z.object({
            name: z.string(),
            type: z.string(),
            cidrs: z.array(z.string()),
            vlan: z.string().optional(),
          }),
        )
        .nullable(),
    }),
  ),
  guests: z.array(
    z.object({
      type: z.enum(['qemu', 'lxc']),
      vmid: Digits,
      node: NodeName,
      name: z.string(),
      status: z.string(),
      is_template: z.boolean(),
      tags: z.string(),
      ...Amounts,
      disk: z.number().optional(),
      /** Null if its node is off. */
      config: z.record(z.string(), z.string()).nullable(),
      /** Null if they are not known. */
      interfaces: z.array(z.object({ mac: z.string(), ips: z.array(z.string()) })).nullable(),
    }),
  ),
})
export type Snapshot = z.output<typeof Snapshot>
export type SnapshotNode = Snapshot['nodes'][number]
export type SnapshotGuest = Snapshot['guests'][number]
