/** Trees of XML, and texts that are no XML. */
import { describe, expect, test } from 'bun:test'
import { decodeXmlText, XmlError } from './xml.ts'
import { findElement, getXmlText, listChildren, readXmlElements, readXmlTree } from './xml-tree.ts'

const list = (text: string, name: string) => [...readXmlElements(text, (path) => path.at(-1) === name)]

test('a tree has the texts, the attributes and the children of its elements, without prefixes', () => {
  const text =
    '<?xml version="1.0"?><s:a xmlns:s="urn:a" x="1 &lt; 2"> one <!-- no --> two <b>&#x41;&amp;</b><b/><c><d>deep</d></c></s:a>'
  const root = readXmlTree(text)
  expect(root.name).toBe('a')
  expect(root.attributes.x).toBe('1 < 2')
  expect(root.text).toBe('one  two')
  expect(listChildren(root, 'b').map((node) => node.text)).toEqual(['A&', ''])
  expect(getXmlText(root, 'c', 'd')).toBe('deep')
  expect(getXmlText(root, 'c', 'no')).toBe('')
  expect(findElement(root, 'no', 'd')).toBeUndefined()
})

test('picked elements come one by one, without those inside them', () => {
  const found = list('<set><item><id>1</id><item><id>2</id></item></item><item><id>3</id></item></set>', 'item')
  expect(found.map((node) => getXmlText(node, 'id'))).toEqual(['1', '3'])
  expect(getXmlText(found[0], 'item', 'id')).toBe('2')
})

describe('a text that is no well-formed XML is an error', () => {
  test.each([
    ['', 'has no element'],
    ['<a><b></a></b>', 'closes a, which is not open'],
    ['<a><b>', 'the file ends within b'],
    ['<a', 'the element a has no end'],
    ['<a>&lol;</a>', 'has the entity &lol;, which is not one of XML'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', 'has a DOCTYPE with declarations, which are not read'],
    ['<a>'.repeat(101), 'is nested deeper than 100'],
  ])('%p', (text, message) => {
    expect(() => readXmlTree(text)).toThrow(message)
  })
})

test('an error has its position', () => {
  const error = (() => {
    try {
      return readXmlTree('<a><b/></c>')
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error instanceof XmlError && error.at).toBe(7)
})

test('the five entities and the numbers of characters are decoded', () => {
  expect(decodeXmlText('&lt;&gt;&amp;&quot;&apos;&#65;&#x42;')).toBe(`<>&"'AB`)
})
