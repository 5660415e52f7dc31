/** Converts a snapshot of AWS: VPC blocks and subnets become networks, instances devices. */
import { type Cidr, cidrHolds, formatCidr, parseCidr } from '../../../net/cidr.ts'
import { parseIp } from '../../../net/ip.ts'
import { findSpaceId } from '../../patterns.ts'
import { MachineRows, type Nic } from '../machine-rows.ts'
import { parseSnapshot } from '../parse.ts'
import type { ConvertMeans, Json, SnapshotRows } from '../source-kind.ts'
import { type Instance, Snapshot, type Subnet, type Vpc } from './snapshot.ts'
import { SpaceBlocks } from './space-blocks.ts'

const OVERLAPS =
  'overlaps another VPC in its space: set `options.space_per_vpc`, or give the VPCs spaces of their own by `places`'
const TWICE = 'is there already: another network of its VPC has the same subnet'

const getName = (tags: Readonly<Record<string, string>>): string => tags.Name ?? ''

/** A VPC of a region, its space, and those of its blocks that overlap another VPC. */
type KnownVpc = { readonly place: string; readonly space: string; readonly left: readonly Cidr[] }

class AwsRows {
  readonly #rows: MachineRows
  readonly #means: ConvertMeans
  readonly #blocks = new SpaceBlocks()
  /** Keys are places: the region and the id. */
  readonly #vpcs = new Map<string, KnownVpc>()

  constructor(means: ConvertMeans) {
    this.#means = means
    this.#rows = new MachineRows(means.ref)
  }

  convert({ regions }: Snapshot): SnapshotRows {
    for (const { region, vpcs, subnets, instances } of regions) {
      // The order decides which VPC is the later one, so it must not change from run to run.
      for (const vpc of vpcs.toSorted((a, b) => (a.id < b.id ? -1 : 1))) this.#addVpc(region, vpc)
      for (const subnet of subnets) this.#addSubnet(region, subnet)
      for (const instance of instances) this.#addInstance(region, instance)
    }
    return this.#rows.finish()
  }

  get #hasSpaces(): boolean {
    return this.#means.options.space_per_vpc === true
  }

  #place(region: string, vpc: string): string {
    return vpc === '' ? region : `${region}/${vpc}`
  }

  /** Returns the space in which the blocks of a VPC must not overlap other VPCs. */
  #findSpace(place: string, vpc: string): string {
    if (this.#hasSpaces) return vpc
    const { placing } = this.#means
    return placing ? (findSpaceId(placing, place) ?? '') : ''
  }

  /** Returns a VPC. One of another account is known by its subnets only. */
  #getVpc(region: string, vpc: string): KnownVpc {
    const place = this.#place(region, vpc)
    return this.#vpcs.get(place) ?? { place, space: this.#findSpace(place, vpc), left: [] }
  }

  #addVpc(region: string, { id, blocks, tags }: Vpc): void {
    const name = getName(tags)
    const place = this.#place(region, id)
    const space = this.#findSpace(place, id)
    const left: Cidr[] = []
    this.#vpcs.set(place, { place, space, left })
    // Names of spaces are unique, names of VPCs are not.
    if (this.#hasSpaces) this.#rows.space({ key: id, name: name === '' ? id : `${name} (${id})` })
    for (const block of blocks) {
      const cidr = parseCidr(block)
      if (cidr && !this.#blocks.claim({ space, vpc: place, cidr })) {
        left.push(cidr)
        this.#leave('network', OVERLAPS, { vpc: id, subnet: block })
      } else this.#addNetwork({ key: `${id}/${cidr ? formatCidr(cidr) : block}`, subnet: block, name, place, vpc: id })
    }
  }

  #addSubnet(region: string, { id, vpc, block, ipv6_blocks, zone, tags }: Subnet): void {
    const { place, space, left } = this.#getVpc(region, vpc)
    const blocks = [block, ...ipv6_blocks].filter((text) => text !== '')
    for (const [at, subnet] of blocks.entries()) {
      const cidr = parseCidr(subnet)
      const isLeft =
        cidr !== undefined && left.some((outer) => cidrHolds(outer, { family: cidr.family, value: cidr.first }))
      if (isLeft || (cidr && !this.#blocks.claim({ space, vpc: place, cidr }))) {
        this.#leave('network', OVERLAPS, { id, subnet })
        continue
      }
      // A subnet has one block of IPv4, and its other blocks are told apart by their texts.
      const key = at === 0 ? id : `${id}/${subnet}`
      this.#addNetwork({ key, subnet, name: getName(tags), place, vpc, description: zone })
    }
  }

  #addNetwork(network: {
    readonly key: string
    readonly subnet: string
    readonly name: string
    readonly place: string
    readonly vpc: string
    readonly description?: string
  }): void {
    const { vpc, ...given } = network
    const cidr = parseCidr(network.subnet)
    if (cidr && !this.#blocks.isFirst(this.#findSpace(network.place, vpc), cidr))
      this.#leave('network', TWICE, { id: network.key, subnet: network.subnet })
    else this.#rows.network({ ...given, ...this.#inSpace(vpc) })
  }

  #inSpace(vpc: string): { readonly space?: string } {
    return this.#hasSpaces && vpc !== '' ? { space: vpc } : {}
  }

  #leave(what: string, why: string, value: object): void {
    this.#rows.report.read(what)
    this.#rows.report.left(what, why, value)
  }

  #addInstance(region: string, instance: Instance): void {
    const { id, type, state, vpc, zone, image, platform, tags } = instance
    if (state === 'terminated') {
      this.#leave('vm', 'is terminated', { id })
      return
    }
    this.#rows.machine({
      key: id,
      type: 'vm',
      name: getName(tags),
      place: this.#place(region, vpc),
      isRunning: state === 'running',
      tags: Object.entries(tags).flatMap(([key, value]) =>
        key === 'Name' && !this.#tagKeys.has(key) ? [] : [value === '' ? key : `${key}:${value}`],
      ),
      facts: { instance_type: type, power: state, zone, image, platform },
      nics: instance.interfaces.map((one) => this.#toNic(region, instance, one)),
    })
  }

  get #tagKeys(): ReadonlySet<unknown> {
    const keys = this.#means.options.tag_keys
    return new Set(Array.isArray(keys) ? keys : [])
  }

  /** An address in a block that is left would be one of the other VPC. */
  #toNic(region: string, { id, vpc }: Instance, { name, mac, addresses }: Instance['interfaces'][number]): Nic {
    const { left } = this.#getVpc(region, vpc)
    const kept = addresses.filter(({ ip, is_public }) => {
      const parsed = parseIp(ip)
      const isLeft = !is_public && parsed !== undefined && left.some((block) => cidrHolds(block, parsed))
      if (isLeft) this.#rows.report.left('vm.address', OVERLAPS, { id, ip })
      return !isLeft
    })
    return {
      name,
      mac,
      ...((kept.length > 0 || addresses.length === 0) && {
        // Public addresses belong to no VPC.
        addresses: kept.map(({ ip, is_public }) => ({ ip, ...(is_public ? { label: 'public' } : this.#inSpace(vpc)) })),
      }),
    }
  }
}

export const convertAws = (snapshot: Json, means: ConvertMeans): SnapshotRows =>
  new AwsRows(means).convert(parseSnapshot(Snapshot, snapshot))
