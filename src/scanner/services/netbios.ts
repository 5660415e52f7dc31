/** NetBIOS names by a node status request (RFC 1002 section 4.2.17). Pure. */
import { cleanText } from './clean-text.ts'

export type NetbiosFinding = { readonly name: string; readonly group: string; readonly mac: string }

export const NETBIOS_PORT = 137
/** The name `*`, encoded in 32 letters. */
const WILDCARD = `CK${'A'.repeat(30)}`
const NODE_STATUS = 0x21
const HEADER_BYTES = 12
const NAME_BYTES = 18
const WORKSTATION = 0
const GROUP_FLAG = 0x80

export const buildNetbiosQuestion = (id: number): Buffer => {
  const message = Buffer.alloc(50)
  message.writeUInt16BE(id, 0)
  message.writeUInt16BE(1, 4)
  message[HEADER_BYTES] = WILDCARD.length
  message.write(WILDCARD, HEADER_BYTES + 1, 'latin1')
  message.writeUInt16BE(NODE_STATUS, 46)
  message.writeUInt16BE(1, 48)
  return message
}

const COUNT_AT = 56

/** Undefined for a datagram that does not answer the query with that id. */
export const readNetbios = (message: Buffer, id: number): NetbiosFinding | undefined => {
  if (message.length < COUNT_AT + 1 || message.readUInt16BE(0) !== id || (message.readUInt8(2) & 0x80) === 0)
    return undefined
  const count = message.readUInt8(COUNT_AT)
  let [name, group] = ['', '']
  for (let i = 0; i < count; i++) {
    const at = COUNT_AT + 1 + i * NAME_BYTES
    if (at + NAME_BYTES > message.length) return undefined
    if (message.readUInt8(at + 15) !== WORKSTATION) continue
    const text = cleanText(message.toString('latin1', at, at + 15), 15)
    if ((message.readUInt8(at + 16) & GROUP_FLAG) !== 0) group ||= text
    else name ||= text
  }
  const macAt = COUNT_AT + 1 + count * NAME_BYTES
  const octets = message.subarray(macAt, macAt + 6)
  // Samba reports no MAC address, but zeros.
  const isTold = octets.length === 6 && octets.some((octet) => octet !== 0)
  return { name, group, mac: isTold ? (octets.toString('hex').match(/../g) ?? []).join(':') : '' }
}
