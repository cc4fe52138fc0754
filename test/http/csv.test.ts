import { describe, expect, it } from 'vitest'
import { type Cell, csvRecord } from '#http/csv.ts'

describe('a record of CSV', () => {
  it.each<[string, readonly Cell[], string]>([
    ['has its cells between commas', ['a', 'b'], 'a,b'],
    ['has numbers as they are, negative ones too', [7, -1, '-1.5', '0.00000001'], '7,-1,-1.5,0.00000001'],
    ['has nothing for null', [null, '', null], ',,'],
    ['quotes commas, quotes and line breaks', ['a,b', 'a "b"', 'a\nb', 'a\r\nb'], '"a,b","a ""b""","a\nb","a\r\nb"'],
    ['keeps any other text', ['ü 💸', " 'a", "it's"], "ü 💸, 'a,it's"],
    ['defuses what a spreadsheet evaluates', ['=1+1', '+1+1', '-1+1', '@A1', '\tx'], "'=1+1,'+1+1,'-1+1,'@A1,'\tx"],
    ['defuses wide signs, too', ['＝1+1', '＋1', '－1', '＠A1'], "'＝1+1,'＋1,'－1,'＠A1"],
    ['defuses it also in quotes', ['=LINK("a","b")', '\r=1'], `"'=LINK(""a"",""b"")","'\r=1"`],
    ['defuses it after what ends a cell elsewhere', ['a;=1', 'a\t+1', 'a;b'], "a;'=1,a\t'+1,a;b"],
    ['takes a sign in front of other things for no number', ['+49 30', '-', '-1e5', '- 1'], "'+49 30,'-,'-1e5,'- 1"],
  ])('%s, and ends as RFC 4180 says', (_rule, cells, text) => {
    expect(csvRecord(cells)).toBe(`${text}\r\n`)
  })
})
