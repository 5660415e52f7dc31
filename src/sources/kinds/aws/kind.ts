/** Amazon EC2: the VPCs, subnets and instances of regions, by the Query API. */
import { z } from 'zod'
import { findElement, getXmlText, listChildren, type XmlNode } from '../../../net/xml/xml-tree.ts'
import type { FetchMeans, Json, SourceKind } from '../source-kind.ts'
import { copyTexts } from '../xml-answer.ts'
import { AwsClient, DEFAULT_URL, NEEDS } from './client.ts'
import type { Instance, Region, Snapshot, Subnet, Vpc } from './snapshot.ts'

const MAX_REGIONS = 50
const MAX_TAG_KEYS = 50

const Options = z.object({
  regions: z
    .array(z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'Must be the name of a region'))
    .min(1)
    .max(MAX_REGIONS),
  tag_keys: z.array(z.string().min(1).max(127)).max(MAX_TAG_KEYS).default([]),
  space_per_vpc: z.boolean().default(false),
})

const readBlocks = (node: XmlNode, list: string, field: string): string[] =>
  listChildren(findElement(node, list), 'item')
    .filter((item) => /^associat/.test(getXmlText(item, `${field}State`, 'state') || 'associated'))
    .map((item) => getXmlText(item, field))
    .filter((text) => text !== '')

class Reader {
  readonly #client: AwsClient
  readonly #tagKeys: ReadonlySet<string>

  constructor(client: AwsClient, tagKeys: readonly string[]) {
    this.#client = client
    this.#tagKeys = new Set(['Name', ...tagKeys])
  }

  async region(region: string): Promise<Region> {
    return {
      region,
      vpcs: await this.#list(region, 'DescribeVpcs', ['vpcSet', 'item'], this.#toVpc),
      subnets: await this.#list(region, 'DescribeSubnets', ['subnetSet', 'item'], this.#toSubnet),
      instances: await this.#list(
        region,
        'DescribeInstances',
        ['reservationSet', 'item', 'instancesSet', 'item'],
        this.#toInstance,
      ),
    }
  }

  async #list<T extends object>(
    region: string,
    action: string,
    list: readonly string[],
    map: (node: XmlNode) => T,
  ): Promise<T[]> {
    const found: T[] = []
    for await (const node of this.#client.list({ service: 'ec2', region, action, list }))
      found.push(copyTexts(map(node)))
    return found
  }

  #tags(node: XmlNode): Record<string, string> {
    return Object.fromEntries(
      listChildren(findElement(node, 'tagSet'), 'item')
        .map((tag) => [getXmlText(tag, 'key'), getXmlText(tag, 'value')] as const)
        .filter(([key]) => this.#tagKeys.has(key)),
    )
  }

  readonly #toVpc = (node: XmlNode): Vpc => ({
    id: getXmlText(node, 'vpcId'),
    blocks: [
      ...new Set([
        getXmlText(node, 'cidrBlock'),
        ...readBlocks(node, 'cidrBlockAssociationSet', 'cidrBlock'),
        ...readBlocks(node, 'ipv6CidrBlockAssociationSet', 'ipv6CidrBlock'),
      ]),
    ].filter((text) => text !== ''),
    tags: this.#tags(node),
  })

  readonly #toSubnet = (node: XmlNode): Subnet => ({
    id: getXmlText(node, 'subnetId'),
    vpc: getXmlText(node, 'vpcId'),
    block: getXmlText(node, 'cidrBlock'),
    ipv6_blocks: readBlocks(node, 'ipv6CidrBlockAssociationSet', 'ipv6CidrBlock'),
    zone: getXmlText(node, 'availabilityZone'),
    tags: this.#tags(node),
  })

  readonly #toInstance = (node: XmlNode): Instance => ({
    id: getXmlText(node, 'instanceId'),
    type: getXmlText(node, 'instanceType'),
    state: getXmlText(node, 'instanceState', 'name'),
    vpc: getXmlText(node, 'vpcId'),
    zone: getXmlText(node, 'placement', 'availabilityZone'),
    image: getXmlText(node, 'imageId'),
    platform: getXmlText(node, 'platformDetails') || getXmlText(node, 'platform'),
    tags: this.#tags(node),
    interfaces: readInterfaces(node),
  })
}

/** Returns the interfaces in the order of their devices, as the guest counts them. */
const readInterfaces = (node: XmlNode): Instance['interfaces'] => {
  const found = listChildren(findElement(node, 'networkInterfaceSet'), 'item').map((item) => {
    const index = getXmlText(item, 'attachment', 'deviceIndex')
    return {
      order: Number(index || Number.MAX_SAFE_INTEGER),
      name: index === '' ? getXmlText(item, 'networkInterfaceId') : `eth${index}`,
      mac: getXmlText(item, 'macAddress'),
      addresses: readAddresses(item),
    }
  })
  if (found.length > 0) return found.sort((a, b) => a.order - b.order).map(({ order: _, ...one }) => one)
  const own = [getXmlText(node, 'privateIpAddress'), getXmlText(node, 'ipAddress')]
  const addresses = own.map((ip, at) => ({ ip, is_public: at === 1 })).filter(({ ip }) => ip !== '')
  return addresses.length === 0 ? [] : [{ name: '', mac: '', addresses }]
}

const readAddresses = (item: XmlNode): Instance['interfaces'][number]['addresses'] => {
  const pairs = listChildren(findElement(item, 'privateIpAddressesSet'), 'item').flatMap((one) => [
    { ip: getXmlText(one, 'privateIpAddress'), is_public: false },
    { ip: getXmlText(one, 'association', 'publicIp'), is_public: true },
  ])
  const ipv6 = listChildren(findElement(item, 'ipv6AddressesSet'), 'item').map((one) => ({
    ip: getXmlText(one, 'ipv6Address'),
    is_public: false,
  }))
  return [...pairs, ...ipv6].filter(({ ip }) => ip !== '')
}

/** Asks who the key is, which needs no right. @returns the number of the account */
const readAccount = async ({ product }: FetchMeans, client: AwsClient, region = ''): Promise<string> => {
  const call = { service: 'sts', region, action: 'GetCallerIdentity', list: ['GetCallerIdentityResult'] } as const
  for await (const node of client.list(call)) {
    const account = getXmlText(node, 'Account')
    product(`Amazon EC2, account ${account}`)
    return account
  }
  return ''
}

const fetchAws = async (means: FetchMeans): Promise<Json> => {
  const { regions, tag_keys } = Options.parse(means.options)
  const client = new AwsClient(means)
  const reader = new Reader(client, tag_keys)
  const snapshot: Snapshot = { account: await readAccount(means, client, regions[0]), regions: [] }
  for (const region of new Set(regions)) {
    const read = await reader.region(region)
    const { vpcs, subnets, instances } = read
    means.log(`${region}: ${vpcs.length} VPCs, ${subnets.length} subnets, ${instances.length} instances`)
    snapshot.regions.push(read)
  }
  return snapshot
}

export const aws: SourceKind = {
  kind: 'aws',
  title: 'Amazon EC2',
  description: 'VPCs and subnets as networks, and instances with their addresses',
  needs: NEEDS,
  defaultUrl: DEFAULT_URL,
  hasGlobalIds: true,
  alsoMakes: ({ space_per_vpc }) => (space_per_vpc === true ? ['spaces'] : []),
  maybeEmpty: ['space'],
  secrets: [
    { name: 'access_key_id', description: 'The id of the access key', required: true },
    { name: 'secret_access_key', description: 'The secret of the access key', required: true },
    { name: 'session_token', description: 'Of temporary keys', required: false },
  ],
  options: [
    {
      name: 'regions',
      type: 'texts',
      default: [],
      description: 'The regions that are read, such as `eu-central-1`',
      required: true,
    },
    {
      name: 'tag_keys',
      type: 'texts',
      default: [],
      description: 'Tags of EC2 that become tags `<key>:<value>` of instances',
      required: false,
    },
    {
      name: 'space_per_vpc',
      type: 'flag',
      default: false,
      description: 'True: each VPC becomes an address space, so that VPCs may overlap',
      required: false,
    },
  ],
  Options,
  types: ['space', 'network', 'vm'],
  whenGone: 'decommission',
  goneAfterHours: 24,
  fetch: fetchAws,
  test: async (means) => {
    const { regions } = Options.parse(means.options)
    await readAccount(means, new AwsClient(means), regions[0])
  },
  convert: async (...given) => (await import('./convert.ts')).convertAws(...given),
}
