/** The snapshot of AWS: the parts that its rows need. It has only the tags of the options. */
import { z } from 'zod'

const Tags = z.record(z.string(), z.string())

const Vpc = z.object({ id: z.string(), blocks: z.array(z.string()), tags: Tags })
const Subnet = z.object({
  id: z.string(),
  vpc: z.string(),
  /** '' for a subnet of IPv6 only. */
  block: z.string(),
  ipv6_blocks: z.array(z.string()),
  zone: z.string(),
  tags: Tags,
})
const Address = z.object({ ip: z.string(), is_public: z.boolean() })
const Interface = z.object({ name: z.string(), mac: z.string(), addresses: z.array(Address) })
const Instance = z.object({
  id: z.string(),
  type: z.string(),
  state: z.string(),
  vpc: z.string(),
  zone: z.string(),
  image: z.string(),
  platform: z.string(),
  tags: Tags,
  interfaces: z.array(Interface),
})
const Region = z.object({
  region: z.string(),
  vpcs: z.array(Vpc),
  subnets: z.array(Subnet),
  instances: z.array(Instance),
})

export const Snapshot = z.object({ account: z.string(), regions: z.array(Region) })

export type Snapshot = z.infer<typeof Snapshot>
export type Vpc = z.infer<typeof Vpc>
export type Subnet = z.infer<typeof Subnet>
export type Instance = z.infer<typeof Instance>
export type Region = z.infer<typeof Region>
