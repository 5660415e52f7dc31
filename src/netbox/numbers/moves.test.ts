// Random moves of addresses between reservations and devices: no number names two objects, and no object changes its number.
import { describe, expect, test } from 'bun:test'
import { estateKernel } from '../../../testing/app/estate-kernel.ts'
import { countCases } from '../../../testing/cases.ts'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildAddressKey } from './keys.ts'
import { assignNumbers, findKeys, moveKey } from './numbers.ts'

const KIND = 'ipam.ipaddress'
const MOVES = countCases(10_000)
const MOVES_AT_ONCE = 25
const TIMEOUT_MS = 120_000

/** Few places, so that addresses come to places that others had. */
const ON_DEVICES = Array.from({ length: 60 }, (_, n) =>
  buildAddressKey(`device-${n % 6}`, n % 2 === 0 ? null : 'vrf', `10.0.0.${n % 15}`),
)

/** An address as a client knows it. */
type Address = { key: string; number: number | undefined }

const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)]

/** The addresses that exist, and what a client would find wrong about their numbers. */
class Estate {
  readonly addresses: Address[] = []
  readonly problems: string[] = []
  readonly #owners = new Map<number, Address>()
  #reservations = 0

  /** Returns the key of a new reservation, or of a place on a device that is free. */
  pickFreeKey(): string {
    const used = new Set(this.addresses.map(({ key }) => key))
    const free = ON_DEVICES.filter((key) => !used.has(key))
    return (Math.random() < 0.6 ? pick(free) : undefined) ?? `reservation-${++this.#reservations}`
  }

  add(): void {
    this.addresses.push({ key: this.pickFreeKey(), number: undefined })
  }

  /** Takes an address away past the API: its place may get another one. */
  remove(address: Address): void {
    this.addresses.splice(this.addresses.indexOf(address), 1)
    // The next address at its place may have its number, as after an undo.
    if (address.number !== undefined) this.#owners.delete(address.number)
  }

  /** Compares the number of an answer with the one of before. */
  see(address: Address, number: number): void {
    if (address.number !== undefined && address.number !== number)
      this.problems.push(`${address.key} has ${number} and had ${address.number}`)
    const owner = this.#owners.get(number)
    if (owner !== undefined && owner !== address) this.problems.push(`${number} is of ${owner.key} and ${address.key}`)
    address.number = number
    this.#owners.set(number, address)
  }
}

const seeAll = async (ctx: Ctx, estate: Estate, addresses: readonly Address[]): Promise<void> => {
  const table = await assignNumbers(
    ctx,
    addresses.map(({ key }) => ({ kind: KIND, key })),
  )
  for (const address of addresses) estate.see(address, table.get(KIND, address.key))
}

const takeStep = async (tx: Ctx, estate: Estate): Promise<void> => {
  const address = pick(estate.addresses)
  const what = Math.random()
  if (address === undefined || (what < 0.2 && estate.addresses.length < 40)) estate.add()
  else if (what < 0.3) estate.remove(address)
  else {
    // A client names an address by a number that it has seen.
    await seeAll(tx, estate, [address])
    const to = estate.pickFreeKey()
    await moveKey(tx, KIND, address.key, to)
    address.key = to
  }
}

describe.each(engines())('random moves on %s', (dialect) => {
  const inv = inventory(dialect)

  test(
    'keep every number with its address',
    async () => {
      const kernel = estateKernel(inv.app.db)
      const estate = new Estate()
      for (let moved = 0; moved < MOVES; moved += MOVES_AT_ONCE) {
        await kernel.write(async (tx) => {
          for (let step = 0; step < MOVES_AT_ONCE; step++) await takeStep(tx, estate)
        })
        await kernel.read((ctx) => seeAll(ctx, estate, estate.addresses))
      }
      const numbers = estate.addresses.flatMap(({ number }) => number ?? [])
      const keys = await kernel.read((ctx) => findKeys(ctx, KIND, numbers))
      expect(estate.problems).toEqual([])
      expect(new Map(estate.addresses.map(({ key, number }) => [number, key]))).toEqual(new Map(keys))
    },
    TIMEOUT_MS,
  )
})
