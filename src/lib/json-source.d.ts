// What Node's JSON has and TypeScript's library does not declare yet: the source text of a value while it is read, and
// text that is written as it is. ECMAScript proposal "JSON.parse source text access".
interface JSON {
  /** `context.source` is the text of a number, string, boolean or null; undefined for an object and an array. */
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  /** Returns a value that `stringify` writes as this text. Throws SyntaxError on text that is no JSON, and on objects. */
  rawJSON(text: string): unknown
}
