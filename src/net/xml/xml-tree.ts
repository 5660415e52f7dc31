/** Elements of XML as trees. They come one at a time, so a large text takes the memory of its largest element. */
import { type Attributes, decodeXmlText, parseXml, XmlError, type XmlSource } from './xml.ts'

/** Names have no prefix of a namespace. */
export type XmlNode = {
  readonly name: string
  readonly attributes: Attributes
  /** The texts between its children, joined and trimmed. */
  readonly text: string
  readonly children: readonly XmlNode[]
}

type OpenNode = { name: string; attributes: Attributes; text: string; children: XmlNode[] }

const stripPrefix = (name: string): string => name.slice(name.indexOf(':') + 1)

class WholeText implements XmlSource {
  text = ''
  isLast = false
  readonly #whole: string

  constructor(whole: string) {
    this.#whole = whole
  }

  readonly next = (): boolean => {
    if (this.isLast) return false
    this.text = this.#whole
    this.isLast = true
    return this.text !== ''
  }

  readonly grow = (): void => {}
}

/**
 * Yields the elements that are picked, each with everything inside it.
 *
 * @param picks is called with the path of an element, its own name last, outside of picked elements
 * @throws XmlError for a text that is not well-formed XML
 */
export function* readXmlElements(text: string, picks: (path: readonly string[]) => boolean): Generator<XmlNode> {
  const open: OpenNode[] = []
  const path: string[] = []
  for (const event of parseXml(new WholeText(text))) {
    const node = open.at(-1)
    if (event.kind === 'text') {
      if (node) node.text += decodeXmlText(event.text)
      continue
    }
    if (event.kind === 'open') {
      path.push(stripPrefix(event.name))
      if (node || picks(path))
        open.push({ name: path.at(-1) ?? '', attributes: event.attributes, text: '', children: [] })
      continue
    }
    path.pop()
    if (!node) continue
    node.text = node.text.trim()
    open.pop()
    const parent = open.at(-1)
    if (parent) parent.children.push(node)
    else yield node
  }
}

/** Returns the root of a text. @throws XmlError for a text that is not well-formed XML */
export const readXmlTree = (text: string): XmlNode => {
  const [root] = [...readXmlElements(text, ({ length }) => length === 1)]
  if (!root) throw new XmlError(0, 'has no element')
  return root
}

export const listChildren = (node: XmlNode | undefined, name: string): readonly XmlNode[] =>
  node?.children.filter((child) => child.name === name) ?? []

/** Returns the first element at a path of names below the node. */
export const findElement = (node: XmlNode | undefined, ...path: readonly string[]): XmlNode | undefined =>
  path.reduce<XmlNode | undefined>((one, name) => one?.children.find((child) => child.name === name), node)

/** Returns the text of the first element at a path; '' without one. */
export const getXmlText = (node: XmlNode | undefined, ...path: readonly string[]): string =>
  findElement(node, ...path)?.text ?? ''
