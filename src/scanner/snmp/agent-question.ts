/**
 * The two questions that find SNMP agents, encoded once by hand so that one socket can ask thousands: the engine discovery of
 * version 3 (RFC 3414 section 4), which needs no secret, and a GET of sysDescr by version 2c (RFC 3416). Pure.
 */

const INTEGER = 0x02
const OCTETS = 0x04
const NULL = 0x05
const OID = 0x06
const SEQUENCE = 0x30
const GET_REQUEST = 0xa0
const GET_RESPONSE = 0xa2
const REPORT = 0xa8

/** sysDescr.0 */
const SYS_DESCR = [0x2b, 6, 1, 2, 1, 1, 1, 0]
const USER_BASED = 3
const REPORTABLE = 4
const MOST_MESSAGE_BYTES = 65_507

/** Tag, length, value (X.690); lengths here stay below 64 KiB. */
const tlv = (tag: number, ...parts: readonly (readonly number[])[]): number[] => {
  const value = parts.flat()
  const { length } = value
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return [tag, ...head, ...value]
}
const integer = (value: number): number[] => {
  const octets = [value & 255]
  for (let rest = value >> 8; rest > 0; rest >>= 8) octets.unshift(rest & 255)
  if ((octets[0] ?? 0) > 127) octets.unshift(0)
  return tlv(INTEGER, octets)
}
const text = (value: string): number[] => tlv(OCTETS, [...Buffer.from(value)])

export const engineQuestion = (id: number): Buffer => {
  const header = tlv(SEQUENCE, integer(id), integer(MOST_MESSAGE_BYTES), tlv(OCTETS, [REPORTABLE]), integer(USER_BASED))
  const security = tlv(SEQUENCE, text(''), integer(0), integer(0), text(''), text(''), text(''))
  const request = tlv(GET_REQUEST, integer(id), integer(0), integer(0), tlv(SEQUENCE))
  const scoped = tlv(SEQUENCE, text(''), text(''), request)
  return Buffer.from(tlv(SEQUENCE, integer(3), header, tlv(OCTETS, security), scoped))
}

export const communityQuestion = (id: number, community: string): Buffer => {
  const binding = tlv(SEQUENCE, tlv(OID, SYS_DESCR), [NULL, 0])
  const request = tlv(GET_REQUEST, integer(id), integer(0), integer(0), tlv(SEQUENCE, binding))
  return Buffer.from(tlv(SEQUENCE, integer(1), text(community), request))
}

type Node = { readonly tag: number; readonly value: Buffer }

/** The values one after the other in a constructed one. @throws RangeError when a length reaches past the end */
const nodesIn = (buffer: Buffer): Node[] => {
  const nodes: Node[] = []
  for (let at = 0; at < buffer.length; ) {
    const tag = buffer.readUInt8(at)
    let length = buffer.readUInt8(at + 1)
    let begin = at + 2
    if (length >= 0x80) {
      const size = length & 0x7f
      if (size < 1 || size > 3) throw new RangeError('a length of that size is none of a datagram')
      length = buffer.readUIntBE(begin, size)
      begin += size
    }
    if (begin + length > buffer.length) throw new RangeError('a value reaches past the end')
    nodes.push({ tag, value: buffer.subarray(begin, begin + length) })
    at = begin + length
  }
  return nodes
}
const numberIn = (node: Node | undefined): number | undefined =>
  node?.tag === INTEGER && node.value.length >= 1 && node.value.length <= 5
    ? node.value.readIntBE(0, node.value.length)
    : undefined

const outerOf = (message: Buffer): Node[] => {
  const [outer] = nodesIn(message)
  return outer?.tag === SEQUENCE ? nodesIn(outer.value) : []
}

/** The engine id in hex of the answer to `engineQuestion`, or undefined. @throws RangeError for invalid BER */
export const readEngine = (message: Buffer, id: number): string | undefined => {
  const [version, header, parameters, scoped] = outerOf(message)
  if (numberIn(version) !== 3 || header === undefined || parameters === undefined || scoped?.tag !== SEQUENCE)
    return undefined
  if (numberIn(nodesIn(header.value)[0]) !== id) return undefined
  const isReport = nodesIn(scoped.value).some(({ tag }) => tag === REPORT)
  const [security] = nodesIn(parameters.value)
  const [engine] = security ? nodesIn(security.value) : []
  return isReport && engine?.tag === OCTETS && engine.value.length >= 5 ? engine.value.toString('hex') : undefined
}

/** The sysDescr of the answer to `communityQuestion`, or undefined. @throws RangeError for invalid BER */
export const readCommunity = (message: Buffer, id: number): string | undefined => {
  const [version, , response] = outerOf(message)
  if (numberIn(version) !== 1 || response?.tag !== GET_RESPONSE) return undefined
  const [requestId, , , bindings] = nodesIn(response.value)
  if (numberIn(requestId) !== id || bindings === undefined) return undefined
  const [binding] = nodesIn(bindings.value)
  const value = binding && nodesIn(binding.value)[1]
  return value?.tag === OCTETS ? value.value.toString('latin1') : ''
}
