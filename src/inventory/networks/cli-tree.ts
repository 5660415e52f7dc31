/** Implements `plat network tree`: requests the tree of a network, and draws it with its free blocks in their places. */
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { compareIp } from '../../net/ip.ts'
import { send } from '../../surfaces/cli/connection/client.ts'
import { resolve } from '../../surfaces/cli/execute.ts'
import { cut, measureWidth, padEnd, toPrintable } from '../../surfaces/cli/output/display.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { requireArguments } from '../../surfaces/cli/parse/args.ts'
import { createArgument, getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { collectReferences, createNames, getMoment } from '../../surfaces/cli/parse/names.ts'
import type { Network } from './api.ts'
import { type FreeBlock, type NetworkTree, planning } from './planning-api.ts'

const { tree } = planning

/** A line of the tree: its lead, the subnet, and what is said of it. */
type Line = { readonly head: string; readonly about: string }

const joinParts = (...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== '' && part).join('  ')

const formatCount = (n: number, noun: string): string =>
  `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`

const describeNetwork = ({ name, vlan_id }: Network): string => joinParts(name, vlan_id !== null && `VLAN ${vlan_id}`)

const describeChild = (network: NetworkTree['children'][number]): string => {
  const { used_ips, reserved_ips, utilization, children, allocated } = network.utilization
  const counts = [
    used_ips > 0 && `${formatCount(used_ips, 'address')} used`,
    reserved_ips > 0 && `${reserved_ips.toLocaleString('en')} reserved`,
  ]
  const taken = counts.filter((count) => count !== false).join(', ')
  return joinParts(
    describeNetwork(network),
    children !== undefined && `${formatCount(children, 'network')}, ${allocated ?? 0} % allocated`,
    taken !== '' && `${taken} (${utilization} %)`,
  )
}

const describeFree = ({ total_ips, used_ips, pools }: FreeBlock): string =>
  joinParts(
    `free: ${formatCount(total_ips, 'address')}`,
    used_ips > 0 && `${used_ips.toLocaleString('en')} used`,
    pools.length > 0 && `in pool ${pools.map(({ name }) => name).join(', ')}`,
  )

/** The networks and free blocks in a network, by address. */
const listParts = ({ children, free }: NetworkTree): Line[] => {
  const parts = [
    ...children.map((child) => ({ subnet: child.subnet, about: describeChild(child) })),
    // A network without others is free as a whole, which its own line says.
    ...(children.length > 0 ? free.map((block) => ({ subnet: block.subnet, about: describeFree(block) })) : []),
  ].map((part) => ({ ...part, cidr: parseCidrOrThrow(part.subnet) }))
  return parts
    .sort(
      ({ cidr: a }, { cidr: b }) =>
        compareIp({ family: a.family, value: a.first }, { family: b.family, value: b.first }) || a.prefix - b.prefix,
    )
    .map(({ subnet, about }) => ({ head: subnet, about }))
}

export const formatTree = (answer: NetworkTree, columns: number | undefined): string => {
  const { parents, network, children, free, more } = answer
  const outer = [...parents, network].map(
    ({ subnet }, depth) => `${'   '.repeat(Math.max(0, depth - 1))}${depth > 0 ? '└─ ' : ''}${subnet}`,
  )
  const lead = '   '.repeat(parents.length)
  const parts = listParts(answer)
  const own = children.length === 0 ? free.map(describeFree) : []
  const lines: Line[] = [
    ...[...parents, network].map((one, depth) => ({
      head: outer[depth] ?? '',
      about: joinParts(describeNetwork(one), one === network && (own[0] ?? false)),
    })),
    ...parts.map(({ head, about }, i) => ({
      head: `${lead}${i === parts.length - 1 && !more ? '└─ ' : '├─ '}${head}`,
      about,
    })),
    ...(more ? [{ head: `${lead}└─ ...`, about: 'and more free blocks' }] : []),
  ]
  const width = Math.max(...lines.map(({ head }) => measureWidth(toPrintable(head)))) + 2
  const texts = lines.map(({ head, about }) => `${padEnd(toPrintable(head), width)}${toPrintable(about)}`.trimEnd())
  return `${texts.map((text) => (columns === undefined ? text : cut(text, columns))).join('\n')}\n`
}

export const printTree = async (session: Session, texts: Texts): Promise<number> => {
  requireArguments(texts, [createArgument('id', '')])
  const as_of = getText(texts, 'as-of')
  const input = { id: getText(texts, 'id') ?? '', ...(as_of !== undefined && { as_of }) }
  const { transport } = await session.connect()
  const names = createNames(transport, await session.program.contracts(), getMoment(tree, input))
  await resolve(names, collectReferences(tree, input).inPath)
  const response = await send(transport, tree, input)
  const { globals, io } = session
  if (globals.output !== 'table' || globals.isQuiet) {
    await present(session, { op: tree, transport, response })
    return 0
  }
  // The contract of the server ensures this type.
  const answer = (await response.json()) as NetworkTree
  await io.stdout.write(formatTree(answer, io.stdout.isTty ? io.stdout.columns : undefined))
  return 0
}
