/** Reads a file of XML. */
import { parseXmlPieces, type XmlEvent } from '../../base/xml/xml.ts'
import { TextWindow } from '../text-window.ts'

/** Yields the elements and the texts in order. @throws AppError VALIDATION_ERROR on `file` for bytes that are not well-formed XML */
export const parseXml = (bytes: Uint8Array): Generator<XmlEvent> => parseXmlPieces(new TextWindow(bytes, { last: '>' }))
