/** Reads the XML of a file piece by piece, with the errors of a file. */
import { decodeXmlText as decodeText, parseXml, XmlError, type XmlEvent } from '../../net/xml/xml.ts'
import { createFileError } from '../converter.ts'
import { TextWindow } from '../text-window.ts'

const toFileError = (error: unknown): unknown =>
  error instanceof XmlError ? createFileError(`character ${error.at}`, error.reason) : error

/** Returns the characters that a text stands for. @throws AppError for an entity that is not one of XML */
export const decodeXmlText = (text: string): string => {
  try {
    return decodeText(text)
  } catch (error) {
    throw toFileError(error)
  }
}

/** Yields the elements and the texts in order. @throws AppError VALIDATION_ERROR on `file` for bytes that are not well-formed XML */
export function* parseXmlFile(bytes: Uint8Array): Generator<XmlEvent> {
  const window = new TextWindow(bytes, { last: '>' })
  try {
    yield* parseXml(window)
  } catch (error) {
    throw toFileError(error)
  }
}
