/**
 * The filter by which the kernel hands over only frames by which hosts make themselves known: a program of classic BPF
 * (linux/filter.h). Pure.
 */

const [LOAD_WORD, LOAD_HALF, LOAD_BYTE] = [0x20, 0x28, 0x30]
/** Loads the length of the IPv4 header, and behind it. */
const [LOAD_HEADER_LENGTH, LOAD_HALF_BEHIND] = [0xb1, 0x48]
const [IF_EQUAL, IF_BITS, RETURN] = [0x15, 0x45, 0x06]
/** Offsets at which the kernel has facts about the frame. */
const [KIND_OF_FRAME, VLAN_IS_PRESENT] = [0xffff_f004, 0xffff_f030]
const SENT_BY_THIS_MACHINE = 4
const WHOLE_FRAME = 0xffff

/** Jumps go to labels; without one to the next instruction. */
type Step = {
  readonly label?: string
  readonly code: number
  readonly value: number
  readonly yes?: string
  readonly no?: string
}

const STEPS: readonly Step[] = [
  // A trunk shows the frames of its other VLANs too.
  { code: LOAD_WORD, value: VLAN_IS_PRESENT },
  { code: IF_EQUAL, value: 0, no: 'drop' },
  { code: LOAD_WORD, value: KIND_OF_FRAME },
  { code: IF_EQUAL, value: SENT_BY_THIS_MACHINE, yes: 'drop' },
  { code: LOAD_HALF, value: 12 },
  { code: IF_EQUAL, value: 0x0806, yes: 'take' },
  { code: IF_EQUAL, value: 0x86dd, yes: 'ipv6' },
  { code: IF_EQUAL, value: 0x0800, no: 'drop' },
  // UDP to the port of DHCP servers or of multicast DNS, and no later fragment.
  { code: LOAD_BYTE, value: 23 },
  { code: IF_EQUAL, value: 17, no: 'drop' },
  { code: LOAD_HALF, value: 20 },
  { code: IF_BITS, value: 0x1fff, yes: 'drop' },
  { code: LOAD_HEADER_LENGTH, value: 14 },
  { code: LOAD_HALF_BEHIND, value: 16 },
  { code: IF_EQUAL, value: 67, yes: 'take' },
  { code: IF_EQUAL, value: 5353, yes: 'take', no: 'drop' },
  { label: 'ipv6', code: LOAD_BYTE, value: 20 },
  { code: IF_EQUAL, value: 58, yes: 'icmp' },
  { code: IF_EQUAL, value: 17, no: 'drop' },
  { code: LOAD_HALF, value: 56 },
  { code: IF_EQUAL, value: 5353, yes: 'take', no: 'drop' },
  // Solicitations of routers and of neighbors, and advertisements of neighbors.
  { label: 'icmp', code: LOAD_BYTE, value: 54 },
  { code: IF_EQUAL, value: 133, yes: 'take' },
  { code: IF_EQUAL, value: 135, yes: 'take' },
  { code: IF_EQUAL, value: 136, yes: 'take' },
  { label: 'drop', code: RETURN, value: 0 },
  { label: 'take', code: RETURN, value: WHOLE_FRAME },
]

export const FILTER_STEPS = STEPS.length

/** Encodes the program as an array of `struct sock_filter`. */
export const encodeFilter = (): Buffer => {
  const bytes = Buffer.alloc(STEPS.length * 8)
  const measure = (from: number, label: string | undefined): number =>
    label === undefined ? 0 : STEPS.findIndex((step) => step.label === label) - from - 1
  for (const [i, { code, value, yes, no }] of STEPS.entries()) {
    bytes.writeUInt16LE(code, i * 8)
    bytes[i * 8 + 2] = measure(i, yes)
    bytes[i * 8 + 3] = measure(i, no)
    bytes.writeUInt32LE(value, i * 8 + 4)
  }
  return bytes
}
