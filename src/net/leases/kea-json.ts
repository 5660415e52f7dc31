/** Reads the answer of Kea to `lease4-get-all` or `lease6-get-all`, or its list of leases. */
import { parseIp } from '../ip.ts'
import { computeEnd, getInactiveReason } from './kea-states.ts'
import { formatNoAddress, type Lease, type LeaseEntry, NO_TIME } from './lease.ts'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists of leases, and the number of brackets before the objects in them. */
type Found = { readonly leases: unknown[]; readonly depth: number } | { readonly error: string }

const ERRORS = new Set([1, 2])

/** An answer has its leases in `arguments`. The control agent answers with a list of answers, one for each server. */
const readAnswer = (answer: Fields): Found => {
  const { result, text, arguments: given } = answer
  if (typeof result === 'number' && ERRORS.has(result))
    return { error: `is an error of Kea: ${typeof text === 'string' ? text.slice(0, 200) : result}` }
  const { leases } = isObject(given) ? given : answer
  if (Array.isArray(leases)) return { leases, depth: isObject(given) ? 3 : 2 }
  // Kea answers that it has none.
  return typeof result === 'number' ? { leases: [], depth: 0 } : { error: 'has no list of leases' }
}

const findLeases = (value: unknown): Found => {
  if (isObject(value)) return readAnswer(value)
  if (!Array.isArray(value)) return { error: 'has no list of leases' }
  if (value.length === 0 || !value.every((one) => isObject(one) && ('result' in one || 'arguments' in one)))
    return { leases: value, depth: 1 }
  const all = value.filter(isObject).map(readAnswer)
  const read = all.flatMap((one) => ('leases' in one ? one : []))
  const [error] = all.filter((one) => 'error' in one)
  if (error && read.length === 0) return error
  return { leases: read.flatMap(({ leases }) => leases), depth: Math.max(0, ...read.map(({ depth }) => depth)) + 1 }
}

const parseLease = (one: unknown): { lease: Lease } | { error: string } => {
  if (!isObject(one)) return { error: 'is no lease' }
  const { 'ip-address': ip, 'hw-address': mac, hostname, cltt, state = 0, type, 'valid-lft': lifetime } = one
  if (typeof ip !== 'string') return { error: 'has no ip-address' }
  if (!parseIp(ip)) return { error: formatNoAddress(ip) }
  if (!Number.isSafeInteger(cltt) || !Number.isSafeInteger(lifetime)) return { error: NO_TIME }
  // Both are integers.
  const [beginS, lifetimeS] = [cltt as number, lifetime as number]
  const over = getInactiveReason({ isPrefix: type === 'IA_PD', state: String(state), lifetime: lifetimeS })
  const endsMs = computeEnd(beginS + lifetimeS, lifetimeS)
  return {
    lease: {
      ip,
      ...(typeof mac === 'string' && mac !== '' && { mac_address: mac }),
      ...(typeof hostname === 'string' && hostname !== '' && { hostname }),
      ...(endsMs !== undefined && { endsMs }),
      ...(over !== undefined && { over }),
    },
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|\n/g

/** Returns the line of each object that begins within so many brackets. */
const findLines = (text: string, depth: number): number[] => {
  const lines: number[] = []
  let [line, open] = [1, 0]
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') line++
    else if (token === '}' || token === ']') open--
    else if (token === '{' || token === '[') {
      if (token === '{' && open === depth) lines.push(line)
      open++
    }
  }
  return lines
}

const tryParse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

export function* parseKeaJsonLeases(text: string): Generator<LeaseEntry> {
  const json = tryParse(text)
  const found = json ? findLeases(json.value) : { error: 'is no valid JSON' }
  if ('error' in found) {
    yield { line: 1, error: found.error }
    return
  }
  const { leases, depth } = found
  // Only an object has a line of its text.
  let [object, lines]: [number, number[] | undefined] = [0, undefined]
  for (const [i, one] of leases.entries()) {
    const entry = parseLease(one)
    if ('error' in entry) {
      lines ??= findLines(text, depth)
      yield { line: lines[object] ?? 1, error: `lease ${i + 1} ${entry.error}` }
    } else yield { line: 1, lease: entry.lease }
    if (isObject(one)) object++
  }
}
