/** The snapshot of a libvirt: only the parts of the XML that become rows, so no command lines and no metadata. */
import { z } from 'zod'

const Uuid = z.string().regex(/^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/, 'is no UUID')

export const Snapshot = z.object({
  product: z.string(),
  host: z.object({
    /** '' of a hypervisor that tells none. */
    uuid: Uuid.or(z.literal('')),
    name: z.string().min(1),
    make_model: z.string(),
    serial: z.string(),
    arch: z.string(),
    cpu_model: z.string(),
    cpus: z.number().optional(),
    memory_kib: z.number().optional(),
  }),
  domains: z.array(
    z.object({
      uuid: Uuid,
      name: z.string(),
      is_running: z.boolean(),
      cpus: z.number().optional(),
      memory_kib: z.number().optional(),
      os: z.string(),
      nics: z.array(z.object({ mac: z.string(), source: z.string(), vlan: z.number().optional() })),
      /** Null if they are not known. */
      addresses: z.array(z.object({ mac: z.string(), ip: z.string() })).nullable(),
    }),
  ),
  networks: z.array(
    z.object({
      uuid: Uuid,
      name: z.string(),
      /** `nat`, `route`, `open`, `bridge` ..., '' for an isolated network. */
      mode: z.string(),
      subnets: z.array(z.string()),
    }),
  ),
})
export type Snapshot = z.output<typeof Snapshot>
export type SnapshotDomain = Snapshot['domains'][number]
export type SnapshotNetwork = Snapshot['networks'][number]
