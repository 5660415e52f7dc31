/** The shape of a format: it writes devices as text. */
import { type AddressNames, getAddressNames } from '../../../inventory/devices/address-names.ts'
import type { Address, Device } from '../../../inventory/devices/schema.ts'
import type { Feed } from '../schema.ts'

export type FeedNetwork = {
  readonly id: string
  readonly name: string
  readonly subnet: string
  readonly vlan_id: number | null
}

/** An address that the filter has left. */
export type FeedAddress = {
  readonly address: Address
  /** True for a main address among the remaining ones. */
  readonly isMain: boolean
}

/** Returns the names of an address of a device. */
export const getFeedNames = (device: Device, { address, isMain }: FeedAddress): AddressNames =>
  getAddressNames(device, address, isMain)

export type FeedDevice = {
  readonly device: Device
  readonly addresses: readonly FeedAddress[]
  /** The name of the datacenter; '' for none. */
  readonly datacenter: string
}

export type Chunks = AsyncIterable<readonly FeedDevice[]>

/** Reports a device, or an address of it, that the format leaves out. */
export type Skip = (device: Device, reason: string) => void

export type Parts = {
  /** Returns the network that an address names, else the most specific one that holds it. */
  readonly networkOf: (address: Address) => FeedNetwork | undefined
  /** Ordered by name. Addresses are in the order of their device. */
  readonly chunks: Chunks
  readonly feed: Pick<Feed, 'port' | 'family'>
  /** The first line of formats with comments. */
  readonly title: string
  readonly skip: Skip
}

/** Writes devices in pieces of text. Values of devices must not end a line or a string of the format. */
export type Format = (parts: Parts) => AsyncGenerator<string>

/** Tells whether an address is written for the first time. Another device with it is reported. */
export const createFirstHolders = (skip: Skip): ((device: Device, ip: string) => boolean) => {
  const holders = new Map<string, Device>()
  return (device, ip) => {
    const holder = holders.get(ip)
    if (!holder) holders.set(ip, device)
    else if (holder.id !== device.id) skip(device, `${ip} is written for ${holder.name}`)
    return !holder
  }
}
