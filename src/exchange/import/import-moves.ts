/** The addresses that a file moves from one device to another, while its rows are read. */

import * as devices from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildAddressKey } from '../apply/known-part.ts'
import { takeAlong } from '../apply/moved-addresses.ts'

type Fields = Readonly<Record<string, unknown>>

/** A device of the file that has an address which its row does not have. */
type Holder = { readonly id: string; isUnchanged: boolean }

/** A device by its id, and by the key of its row, which is all that is known of a new one. */
export type Named = { readonly id?: string; readonly key: string | undefined }

/** Where the addresses of a file go. */
export class AddressMoves {
  readonly #holders = new Map<string, Holder>()
  /** The id or the key of the device that a row has given an address to, by the address. */
  readonly #given = new Map<string, string>()
  #released = 0

  /** The number of devices that were unchanged, and have lost an address to a later row. */
  get released(): number {
    return this.#released
  }

  /** Returns the addresses of a device except addresses that earlier rows have given to other devices. */
  removeGiven({ id, key }: Named, addresses: readonly unknown[], kept: readonly Fields[]): readonly unknown[] {
    const isOther = (owner: string | undefined): boolean => owner !== undefined && owner !== id && owner !== key
    const gone = new Set(kept.map(buildAddressKey).filter((address) => isOther(this.#given.get(address))))
    return gone.size === 0 ? addresses : addresses.filter((one) => !gone.has(buildAddressKey(one as Fields)))
  }

  /** Notes the addresses that a row does not have, once its device is written. */
  keep(id: string, kept: readonly Fields[], isUnchanged: boolean): void {
    if (kept.length === 0) return
    const holder = { id, isUnchanged }
    for (const one of kept) this.#holders.set(buildAddressKey(one), holder)
  }

  /**
   * Takes an address that a row gives to a device away from the device of an earlier row.
   * @returns the address with what was known of it, and that device
   */
  async take<A extends Fields>(ctx: Ctx, { id, key }: Named, address: A): Promise<{ address: A; released?: Device }> {
    const at = buildAddressKey(address)
    this.#given.set(at, id ?? key ?? '')
    const holder = this.#holders.get(at)
    if (!holder || holder.id === id) return { address }
    this.#holders.delete(at)
    const { addresses } = await devices.getOrThrow(ctx, holder.id)
    const held = addresses.find((one) => buildAddressKey(one) === at)
    if (!held) return { address }
    const released = await devices.update(ctx, { id: holder.id, addresses: addresses.filter((one) => one !== held) })
    if (holder.isUnchanged) this.#released++
    holder.isUnchanged = false
    // The same fields, and perhaps more of them.
    return { address: takeAlong(address, held) as A, released }
  }
}
