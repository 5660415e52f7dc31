/** Recognizes ARP packets that say again what was heard a moment ago, before anything is built of them: a storm costs no memory. Pure. */

/** Frames within this time are repeats. */
const REPEAT_MS = 1000
const MAX_SENDERS = 4096

const [TYPE_AT, MAC_AT, ADDRESS_AT] = [12, 22, 28]
/** The types of the frame, of the link (Ethernet) and of the address (IPv4). */
const ARP_OF_IPV4 = 0x0806_0001_0800
const SIZES_AT = 18
/** 6 bytes of a MAC and 4 of an address, before the operation. */
const SIZES = 0x0604_0000
const ARP_FRAME_BYTES = 42

/** Returns a function that is true for the frame of a sender that was heard with the same MAC on the same link in this second. */
export const createRepeatFilter = (): ((frame: Buffer, length: number, nowMs: number) => boolean) => {
  const macs = new Map<number, number>()
  let sinceMs = Number.NEGATIVE_INFINITY
  return (frame, length, nowMs) => {
    // Others are not read, so they repeat nothing.
    if (length < ARP_FRAME_BYTES || frame.readUIntBE(TYPE_AT, 6) !== ARP_OF_IPV4) return false
    const operation = frame.readUInt32BE(SIZES_AT) - SIZES
    if (operation !== 1 && operation !== 2) return false
    if (nowMs - sinceMs >= REPEAT_MS || macs.size === MAX_SENDERS) {
      macs.clear()
      sinceMs = nowMs
    }
    const [mac, address] = [frame.readUIntBE(MAC_AT, 6), frame.readUInt32BE(ADDRESS_AT)]
    if (macs.get(address) === mac) return true
    macs.set(address, mac)
    return false
  }
}
