/** Reads answers in XML, element by element. */
import { XmlError } from '../../net/xml/xml.ts'
import { readXmlElements, type XmlNode } from '../../net/xml/xml-tree.ts'
import { FetchError } from '../fetch/fetch-error.ts'

export type XmlAnswer = {
  readonly body: Uint8Array
  /** The request, for messages. */
  readonly request: string
  /** The name of the root. */
  readonly root: string
  /** Picks elements by their path below the root. */
  readonly picks: (path: readonly string[]) => boolean
}

const decodeText = ({ body, request }: XmlAnswer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new FetchError('bad_answer', `${request}: the answer is not UTF-8`)
  }
}

/**
 * Yields the picked elements, each with everything inside it.
 * @throws FetchError `bad_answer` for an answer that is not XML, `wrong_url` for XML with another root
 */
export function* readAnswer(answer: XmlAnswer): Generator<XmlNode> {
  const { request, root, picks } = answer
  let found = ''
  const pickBelowRoot = (path: readonly string[]): boolean => {
    found ||= path[0] ?? ''
    if (found !== root) throw new FetchError('wrong_url', `${request}: <${found.slice(0, 64)}> came, not <${root}>`)
    return path.length > 1 && picks(path.slice(1))
  }
  try {
    yield* readXmlElements(decodeText(answer), pickBelowRoot)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new FetchError('bad_answer', `${request}: the answer is not XML: ${error.message}`, undefined, {
      cause: error,
    })
  }
  if (found === '') throw new FetchError('bad_answer', `${request}: the answer is not XML`)
}

/** Returns a copy of the kept part of an answer. Its texts are parts of the answer, which they would hold in memory as a whole. */
export const copyTexts = <T extends object>(value: T): T =>
  // JSON keeps the shape of texts, numbers, flags, lists and null.
  JSON.parse(JSON.stringify(value)) as T
