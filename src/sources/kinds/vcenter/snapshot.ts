/** The snapshot of a vCenter or an ESXi host: the parts that its rows need. */
import { z } from 'zod'

/** Data centers, folders and clusters, by which the place of a machine is found. */
const Container = z.object({ id: z.string(), type: z.string(), name: z.string(), parent: z.string() })

const Nic = z.object({
  name: z.string(),
  mac: z.string(),
  /** null: not known. */
  addresses: z.array(z.string()).nullable(),
})

const Host = z.object({
  id: z.string(),
  uuid: z.string(),
  name: z.string(),
  parent: z.string(),
  vendor: z.string(),
  model: z.string(),
  serial: z.string(),
  product: z.string(),
  cpu: z.string(),
  cores: z.string(),
  memory_bytes: z.string(),
  state: z.string(),
  is_running: z.boolean(),
  /** False if its interfaces cannot be read now, as of a host that is not connected. */
  has_nics: z.boolean(),
  nics: z.array(Nic),
})

const Vm = z.object({
  id: z.string(),
  uuid: z.string(),
  name: z.string(),
  is_template: z.boolean(),
  /** The id of its host; '' if it is not known. */
  host: z.string(),
  parent: z.string(),
  os: z.string(),
  hostname: z.string(),
  power: z.string(),
  tools: z.string(),
  cpus: z.string(),
  memory_mib: z.string(),
  has_nics: z.boolean(),
  nics: z.array(Nic),
  /** Interfaces of the guest that belong to no adapter, such as bridges of containers. */
  inner_interfaces: z.int(),
})

export const Snapshot = z.object({
  product: z.string(),
  containers: z.array(Container),
  hosts: z.array(Host),
  vms: z.array(Vm),
})

export type Snapshot = z.infer<typeof Snapshot>
export type Container = z.infer<typeof Container>
export type Nic = z.infer<typeof Nic>
export type Host = z.infer<typeof Host>
export type Vm = z.infer<typeof Vm>
