/** Amazon EC2 against moto, which checks the signatures and the policies of its keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Moto, startMoto } from '../../../../testing/sources/moto.ts'
import { readRows, readSource } from '../../../../testing/sources/read.ts'
import type { Keys } from './sign.ts'

const TIMEOUT_MS = 60_000
/** By itself, moto gives addresses of loopback. */
const PUBLIC = '198.51.100.7'

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('moto', () => {
  let moto: Moto
  let ids: { vpc: string; subnet: string; instances: string[] }

  const read = (keys: Keys, options: Readonly<Record<string, unknown>> = {}) =>
    readSource({
      kind: 'aws',
      url: moto.url,
      options: { regions: ['eu-central-1'], ...options },
      secrets: { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey },
    })

  beforeAll(async () => {
    moto = await startMoto()
    const vpc = (await moto.call({ action: 'CreateVpc', given: { CidrBlock: '10.1.0.0/16' } })).text('vpcId')
    const tags = { 'Tag.1.Key': 'Name', 'Tag.1.Value': 'prod', 'Tag.2.Key': 'token', 'Tag.2.Value': 'not asked for' }
    await moto.call({ action: 'CreateTags', given: { 'ResourceId.1': vpc, ...tags } })
    const made = await moto.call({ action: 'CreateSubnet', given: { VpcId: vpc, CidrBlock: '10.1.2.0/24' } })
    const subnet = made.text('subnetId')
    const machines = {
      ImageId: 'ami-12c6146b',
      SubnetId: subnet,
      InstanceType: 't3.micro',
      MinCount: '3',
      MaxCount: '3',
    }
    const started = await moto.call({ action: 'RunInstances', given: machines })
    const instances = [...new Set(started.texts('instanceId'))]
    const [web = '', stopped = '', terminated = ''] = instances
    const web1 = { 'ResourceId.1': web, ...tags, 'Tag.1.Value': 'web', 'Tag.2.Key': 'team', 'Tag.2.Value': 'blue' }
    await moto.call({ action: 'CreateTags', given: web1 })
    await moto.call({ action: 'StopInstances', given: { 'InstanceId.1': stopped } })
    await moto.call({ action: 'TerminateInstances', given: { 'InstanceId.1': terminated } })
    const elastic = await moto.call({ action: 'AllocateAddress', given: { Domain: 'vpc', Address: PUBLIC } })
    await moto.call({
      action: 'AssociateAddress',
      given: { InstanceId: web, AllocationId: elastic.text('allocationId') },
    })
    ids = { vpc, subnet, instances }
  }, TIMEOUT_MS)
  afterAll(() => moto.stop())

  test(
    'networks and instances are rows by their ids',
    async () => {
      const { documents, report, facts, about } = readRows(await read(moto.admin, { tag_keys: ['team'] }))
      const { vpc, subnet, instances } = ids
      const [web = '', stopped = ''] = instances
      expect(documents.networks?.filter(({ subnet: text }) => `${text}`.startsWith('10.1.'))).toEqual([
        { name: 'prod', subnet: '10.1.0.0/16', refs: { aws: `${vpc}/10.1.0.0/16` } },
        {
          ...{ name: '10.1.2.0/24', subnet: '10.1.2.0/24', refs: { aws: subnet } },
          description: expect.stringMatching(/^eu-central-1[abc]$/),
        },
      ])
      const [first, second] = documents.devices ?? []
      expect(documents.devices).toHaveLength(2)
      expect(first).toMatchObject({
        ...{ name: 'web', status: 'active', tags: ['vm', 'team:blue'], refs: { aws: web } },
        addresses: [
          { ip: expect.stringMatching(/^10\.1\.2\./), interface: 'eth0' },
          { ip: PUBLIC, label: 'public', interface: 'eth0' },
        ],
      })
      expect(second).toMatchObject({ name: stopped, status: 'maintenance', refs: { aws: stopped } })
      expect(documents.ports?.map(({ name }) => name)).toEqual(['eth0', 'eth0'])
      expect(about.get(`devices ${web}`)?.facts).toMatchObject({ instance_type: 't3.micro', power: 'running' })
      expect(report.left).toEqual([{ what: 'vm', count: 1, why: 'is terminated', example: expect.any(String) }])
      expect(facts).toMatchObject({ product: 'Amazon EC2, account 123456789012', requests: 4 })
    },
    TIMEOUT_MS,
  )

  test('two regions with the same VPC need a space for each', async () => {
    const regions = ['eu-central-1', 'eu-west-1']
    const shared = readRows(await read(moto.admin, { regions }))
    expect(shared.report.left.map(({ what }) => what)).toContain('network')
    const apart = readRows(await read(moto.admin, { regions, space_per_vpc: true }))
    expect(apart.report.left.map(({ what }) => what)).toEqual(['vm'])
    expect(apart.documents.spaces?.map(({ name }) => name)).toContain(`prod (${ids.vpc})`)
  })

  test('a wrong secret is unauthorized', async () => {
    const outcome = await read({ ...moto.admin, secretAccessKey: 'another secret of the key' })
    expect(outcome).toMatchObject({ error: { code: 'unauthorized' } })
  })

  test('a key without the right to list instances is forbidden, and the message has the rights', async () => {
    const outcome = await read(await moto.createUser('viewer', ['sts:*', 'ec2:DescribeVpcs', 'ec2:DescribeSubnets']))
    expect(outcome).toMatchObject({
      error: { code: 'forbidden', message: expect.stringContaining('DescribeInstances') },
    })
  })
})
