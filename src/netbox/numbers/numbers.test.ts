// The numbers of the NetBox API on both databases: which number an object gets, that it keeps it, and that no other object gets it.
import { beforeEach, describe, expect, test } from 'bun:test'
import { type EstateKernel, estateKernel } from '../../../testing/app/estate-kernel.ts'
import { callerWith } from '../../../testing/app/kernel.ts'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { rawRoute } from '../../kernel/operation.ts'
import type { Kind } from './kinds.ts'
import { deleteName, findNames, saveName } from './names.ts'
import { assignNumbers, findKeys, moveKey } from './numbers.ts'

const FIRST = 1_000_000_001

describe.each(engines())('numbers on %s', (dialect) => {
  const inv = inventory(dialect)
  let kernel: EstateKernel
  /** The objects of each test have ids of their own. */
  let round = 0
  beforeEach(() => {
    kernel = estateKernel(inv.app.db)
    round++
  })
  const id = (name: string): string => `${name}-${round}`

  /** Returns the numbers of keys, in their order. */
  const assign = (kind: Kind, ...keys: readonly string[]): Promise<number[]> =>
    kernel.read(async (ctx) => {
      const table = await assignNumbers(
        ctx,
        keys.map((key) => ({ kind, key })),
      )
      return keys.map((key) => table.get(kind, key))
    })
  const find = (kind: Kind, ...numbers: readonly number[]): Promise<[number, string][]> =>
    kernel.read(async (ctx) => [...(await findKeys(ctx, kind, numbers))])
  const move = (kind: Kind, from: string, to: string): Promise<void> =>
    kernel.write((tx) => moveKey(tx, kind, from, to))
  const createDevice = (name: string, externalId?: string) =>
    inv.api.devices.create({ id: name, name, ...(externalId !== undefined && { refs: { netbox: externalId } }) })
  /** Returns a number of NetBox that no earlier test has used. */
  const given = (n: number): number => round * 1000 + n

  test('an object of a NetBox keeps its number', async () => {
    await createDevice(id('web'), `dcim.device.${given(1)}`)
    expect(await assign('dcim.device', id('web'))).toEqual([given(1)])
  })

  test('the largest number of a NetBox is kept', async () => {
    await createDevice(id('web'), 'dcim.device.999999999')
    expect(await assign('dcim.device', id('web'))).toEqual([999_999_999])
  })

  test('other objects count from 1,000,000,001 in the order of the answer, each kind by itself', async () => {
    const own = [await assign('ipam.vrf', 'b', 'a', 'b'), await assign('ipam.vlan', 'c'), await assign('ipam.vrf', 'c')]
    expect(own).toEqual([[FIRST, FIRST + 1, FIRST], [FIRST], [FIRST + 2]])
  })

  test('a second answer has the same numbers and writes nothing', async () => {
    const before = await assign('dcim.rack', id('a'), id('b'))
    const revision = await inv.app.db.revision(['netbox_ids'])
    expect(await assign('dcim.rack', id('b'), id('a'))).toEqual(before.toReversed())
    expect(await inv.app.db.revision(['netbox_ids'])).toBe(revision)
  })

  test('new numbers leave the revision of the objects as it is', async () => {
    await createDevice(id('web'))
    const revision = await inv.app.db.revision(['devices', 'refs', 'custom_fields'])
    await assign('dcim.device', id('web'))
    expect(await inv.app.db.revision(['devices', 'refs', 'custom_fields'])).toBe(revision)
  })

  test.each([
    ['of another kind', 'virtualization.virtualmachine.7'],
    ['of a longer kind', 'dcim.device.7.ref'],
    ['with a leading zero', 'dcim.device.07'],
    ['of zero', 'dcim.device.0'],
    ['beyond the numbers of a NetBox', 'dcim.device.1000000000'],
    ['without a number', 'dcim.device.web'],
  ])('a ref %s gives no number', async (_, externalId) => {
    await createDevice(id('web'), externalId)
    const [number = 0] = await assign('dcim.device', id('web'))
    expect(number).toBeGreaterThanOrEqual(FIRST)
  })

  test('a number that another object had is not given again', async () => {
    const externalId = `dcim.device.${given(1)}`
    await createDevice(id('web'), externalId)
    await assign('dcim.device', id('web'))
    await inv.api.devices.delete({ id: id('web') })
    await createDevice(id('web2'), externalId)
    const [number = 0] = await assign('dcim.device', id('web2'))
    expect(number).toBeGreaterThanOrEqual(FIRST)
  })

  test('a ref that comes later does not change the number', async () => {
    await createDevice(id('web'))
    const before = await assign('dcim.device', id('web'))
    await inv.api.devices.update({ id: id('web'), refs: { netbox: `dcim.device.${given(1)}` } })
    const found = await find('dcim.device', given(1))
    expect({ after: await assign('dcim.device', id('web')), found }).toEqual({ after: before, found: [] })
  })

  test('an old number finds its object before any answer had it, and is stored', async () => {
    await createDevice(id('a'), `dcim.device.${given(1)}`)
    await createDevice(id('b'), `dcim.device.${given(2)}`)
    const found = await find('dcim.device', given(2), given(1), given(3))
    await inv.api.devices.delete({ id: id('a') })
    expect(new Map(found)).toEqual(new Map([given(1), given(2)].map((n, at) => [n, id(at === 0 ? 'a' : 'b')])))
    expect(await find('dcim.device', given(1))).toEqual([[given(1), id('a')]])
  })

  test('two kinds of one resource do not share numbers', async () => {
    await createDevice(id('web'), `dcim.device.${given(1)}`)
    const [machine = 0] = await assign('virtualization.virtualmachine', id('web'))
    expect([machine >= FIRST, await find('virtualization.virtualmachine', given(1))]).toEqual([true, []])
  })

  test.each([0, -1, 1.5, Number.NaN, 2_147_483_648, 1e21])('%d is the number of nothing', async (number) => {
    expect(await find('dcim.device', number)).toEqual([])
  })

  test('a deleted object that is restored has its number again', async () => {
    await createDevice(id('web'))
    const before = await assign('dcim.device', id('web'))
    const deleted = await inv.admin.request('DELETE', `/api/devices/${id('web')}`)
    await inv.api.history.undo({ id: deleted.headers.get('x-change-id') ?? '' })
    expect((await inv.api.devices.get({ id: id('web') })).name).toBe(id('web'))
    expect(await assign('dcim.device', id('web'))).toEqual(before)
  })

  test('parallel answers give an object one number', async () => {
    const keys = Array.from({ length: 30 }, (_, n) => id(`key${n}`))
    const answers = await Promise.all(
      keys.map(async (_, n) => {
        const own = [...keys.slice(n), ...keys.slice(0, n)]
        const numbers = await assign('dcim.cable', ...own)
        return new Map(own.map((key, at) => [key, numbers[at]]))
      }),
    )
    const [first] = answers
    expect(answers.filter((one) => !Bun.deepEquals(one, first))).toEqual([])
    expect(new Set(first?.values()).size).toBe(keys.length)
  })

  test('more objects than one transaction takes have numbers without gaps', async () => {
    const keys = Array.from({ length: 4500 }, (_, n) => id(`key${n}`))
    const numbers = await assign('ipam.role', ...keys)
    expect(numbers).toEqual(keys.map((_, n) => FIRST + n))
  })

  test('a read of a caller of one scope reads and makes numbers', async () => {
    const before = await assign('dcim.device', id('a'))
    const scopeSet = { areas: new Set([1]), scopes: [new Set(['scope'])], cacheKey: '1' }
    const caller = { ...callerWith(), scopedPermissions: new Map([['devices:list' as const, scopeSet]]) }
    const route = rawRoute({
      ...{ name: 'test.list', summary: '', http: 'GET /test' },
      ...{ access: 'devices:list', scope: 'filter' },
    })
    const handler = async (ctx: Ctx) => {
      const table = await assignNumbers(
        ctx,
        ['a', 'b'].map((name) => ({ kind: 'dcim.device', key: id(name) })),
      )
      return Response.json(['a', 'b'].map((name) => table.get('dcim.device', id(name))))
    }
    const target = { params: {}, origin: 'http://plat.test', isAtApiHost: false }
    const request = { caller, requestId: 'test', signal: new AbortController().signal, target }
    const answer = await kernel.runRaw({ route, handler }, request, new Request('http://plat.test'))
    expect(await answer.json()).toEqual([...before, ...(await assign('dcim.device', id('b')))])
  })

  test('a number that was not asked for is an error', async () => {
    const table = await kernel.read((ctx) => assignNumbers(ctx, []))
    expect(() => table.get('dcim.device', 'web')).toThrow('the number of dcim.device "web" was not asked for')
  })

  test('numbers of a transaction that fails are given again', async () => {
    const [before = 0] = await assign('dcim.site', id('a'))
    const failing = kernel.write(async (tx) => {
      await assignNumbers(tx, [{ kind: 'dcim.site', key: id('b') }])
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await assign('dcim.site', id('c'))).toEqual([before + 1])
  })

  test('a transaction gives an object that it makes the number of its ref', async () => {
    const number = await kernel.write(async (tx) => {
      const row = { resource: 'racks', source: 'netbox', external_id: `dcim.rack.${given(1)}`, object_id: id('rack') }
      await tx.db.insertInto('refs').values(row).execute()
      return (await assignNumbers(tx, [{ kind: 'dcim.rack', key: id('rack') }])).get('dcim.rack', id('rack'))
    })
    expect(number).toBe(given(1))
  })

  test('a lock of any kind may follow a new number', async () => {
    await kernel.write(async (tx) => {
      await assignNumbers(tx, [{ kind: 'dcim.site', key: id('a') }])
      await tx.lock('pools', ['a'])
    })
  })

  describe('a moved object', () => {
    test('keeps its number', async () => {
      const before = await assign('ipam.ipaddress', id('free'))
      await move('ipam.ipaddress', id('free'), id('dev  10.0.0.1'))
      expect(await assign('ipam.ipaddress', id('dev  10.0.0.1'))).toEqual(before)
    })

    test('leaves a new number to an object with its old key', async () => {
      const [before = 0] = await assign('ipam.ipaddress', id('free'))
      await move('ipam.ipaddress', id('free'), id('used'))
      expect(await assign('ipam.ipaddress', id('free'))).toEqual([before + 1])
    })

    test('takes the key of an object that has gone, whose number names nothing from then on', async () => {
      const [gone = 0, moved = 0] = await assign('ipam.ipaddress', id('used'), id('free'))
      await move('ipam.ipaddress', id('free'), id('used'))
      expect(await find('ipam.ipaddress', gone, moved)).toEqual([[moved, id('used')]])
    })

    test('without a number leaves others as they are', async () => {
      const before = await assign('ipam.ipaddress', id('used'))
      await move('ipam.ipaddress', id('free'), id('used'))
      expect(await assign('ipam.ipaddress', id('used'))).toEqual(before)
    })

    test('at its own place keeps its number', async () => {
      const before = await assign('ipam.ipaddress', id('used'))
      await move('ipam.ipaddress', id('used'), id('used'))
      expect(await assign('ipam.ipaddress', id('used'))).toEqual(before)
    })
  })

  describe('names', () => {
    const attributes = { name: 'Core', slug: 'core', color: 'ff0000' }
    const save = (key: string, given = attributes): Promise<number> =>
      kernel.write((tx) => saveName(tx, 'dcim.devicerole', key, given))
    const list = async () => (await kernel.read((ctx) => findNames(ctx, 'dcim.devicerole'))).filter(isOfRound)
    const isOfRound = ({ key }: { readonly key: string }): boolean => key.endsWith(`-${round}`)

    test('a saved name has what was sent beside it', async () => {
      const number = await save(id('core'))
      expect(await list()).toEqual([{ number, key: id('core'), attributes }])
    })

    test('a name that objects had before keeps its number', async () => {
      const before = await assign('dcim.devicerole', id('core'))
      expect([await save(id('core'))]).toEqual(before)
    })

    test('a name that no client has made is not listed', async () => {
      await assign('dcim.devicerole', id('core'))
      expect(await list()).toEqual([])
    })

    test('a changed name has its new attributes', async () => {
      await save(id('core'))
      await save(id('core'), { ...attributes, color: '00ff00' })
      expect((await list()).map((one) => one.attributes.color)).toEqual(['00ff00'])
    })

    test('a renamed name keeps its number and its attributes', async () => {
      const number = await save(id('core'))
      await move('dcim.devicerole', id('core'), id('spine'))
      expect(await list()).toEqual([{ number, key: id('spine'), attributes }])
    })

    test('a renamed name takes the key of a deleted one', async () => {
      const [number] = [await save(id('core')), await save(id('spine'))]
      await kernel.write((tx) => deleteName(tx, 'dcim.devicerole', id('spine')))
      await move('dcim.devicerole', id('core'), id('spine'))
      expect(await list()).toEqual([{ number, key: id('spine'), attributes }])
    })

    test('a deleted name is gone, and has its number again when it comes back', async () => {
      const number = await save(id('core'))
      await kernel.write((tx) => deleteName(tx, 'dcim.devicerole', id('core')))
      const others = await assign('dcim.devicerole', id('other'))
      const gone = await list()
      expect({ gone, others, again: await save(id('core')) }).toEqual({ gone: [], others: [number + 1], again: number })
    })
  })
})
