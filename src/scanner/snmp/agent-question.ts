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
const encodeTlv = (tag: number, ...parts: readonly (readonly number[])[]): number[] => {
  const value = parts.flat()
  const { length } = value
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return [tag, ...head, ...value]
}
const encodeInteger = (value: number): number[] => {
  const octets = [value & 255]
  for (let rest = value >> 8; rest > 0; rest >>= 8) octets.unshift(rest & 255)
  if ((octets[0] ?? 0) > 127) octets.unshift(0)
  return encodeTlv(INTEGER, octets)
}
const encodeText = (value: string): number[] => encodeTlv(OCTETS, [...Buffer.from(value)])

export const buildEngineQuestion = (id: number): Buffer => {
  const header = encodeTlv(
    SEQUENCE,
    encodeInteger(id),
    encodeInteger(MOST_MESSAGE_BYTES),
    encodeTlv(OCTETS, [REPORTABLE]),
    encodeInteger(USER_BASED),
  )
  const security = encodeTlv(
    SEQUENCE,
    encodeText(''),
    encodeInteger(0),
    encodeInteger(0),
    encodeText(''),
    encodeText(''),
    encodeText(''),
  )
  const request = encodeTlv(GET_REQUEST, encodeInteger(id), encodeInteger(0), encodeInteger(0), encodeTlv(SEQUENCE))
  const scoped = encodeTlv(SEQUENCE, encodeText(''), encodeText(''), request)
  return Buffer.from(encodeTlv(SEQUENCE, encodeInteger(3), header, encodeTlv(OCTETS, security), scoped))
}

export const buildCommunityQuestion = (id: number, community: string): Buffer => {
  const binding = encodeTlv(SEQUENCE, encodeTlv(OID, SYS_DESCR), [NULL, 0])
  const request = encodeTlv(
    GET_REQUEST,
    encodeInteger(id),
    encodeInteger(0),
    encodeInteger(0),
    encodeTlv(SEQUENCE, binding),
  )
  return Buffer.from(encodeTlv(SEQUENCE, encodeInteger(1), encodeText(community), request))
}

type Node = { readonly tag: number; readonly value: Buffer }

/** Returns the values one after the other in a constructed one. @throws RangeError when a length reaches past the end */
const parseNodes = (buffer: Buffer): Node[] => {
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
const readNumber = (node: Node | undefined): number | undefined =>
  node?.tag === INTEGER && node.value.length >= 1 && node.value.length <= 5
    ? node.value.readIntBE(0, node.value.length)
    : undefined

const unwrapSequence = (message: Buffer): Node[] => {
  const [outer] = parseNodes(message)
  return outer?.tag === SEQUENCE ? parseNodes(outer.value) : []
}

/** Returns the engine id in hex of the answer to `buildEngineQuestion`, or undefined. @throws RangeError for invalid BER */
export const readEngine = (message: Buffer, id: number): string | undefined => {
  const [version, header, parameters, scoped] = unwrapSequence(message)
  if (readNumber(version) !== 3 || header === undefined || parameters === undefined || scoped?.tag !== SEQUENCE)
    return undefined
  if (readNumber(parseNodes(header.value)[0]) !== id) return undefined
  const isReport = parseNodes(scoped.value).some(({ tag }) => tag === REPORT)
  const [security] = parseNodes(parameters.value)
  const [engine] = security ? parseNodes(security.value) : []
  return isReport && engine?.tag === OCTETS && engine.value.length >= 5 ? engine.value.toString('hex') : undefined
}

/** Returns the sysDescr of the answer to `buildCommunityQuestion`, or undefined. @throws RangeError for invalid BER */
export const readCommunity = (message: Buffer, id: number): string | undefined => {
  const [version, , response] = unwrapSequence(message)
  if (readNumber(version) !== 1 || response?.tag !== GET_RESPONSE) return undefined
  const [requestId, , , bindings] = parseNodes(response.value)
  if (readNumber(requestId) !== id || bindings === undefined) return undefined
  const [binding] = parseNodes(bindings.value)
  const value = binding && parseNodes(binding.value)[1]
  return value?.tag === OCTETS ? value.value.toString('latin1') : ''
}
