// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostSQL

@Suite("The text of a program's statement") struct StatementTextTests {
  private func statement(_ text: String) -> StatementText {
    var statement = StatementText()
    statement.append(text)
    return statement
  }

  @Test(
    "the first word is found behind blanks, comments and parentheses",
    arguments: [
      ("SELECT 1", "SELECT"), ("\n  select 1", "select"), ("-- INSERT\nSELECT", "SELECT"),
      ("/* a; b */ (VALUES (1))", "VALUES"), ("/*/ SELECT */ DELETE", "DELETE"), ("", ""),
      ("'SELECT'", ""),
      ("1 SELECT", ""), ("SELECT1", "SELECT"), ("WITH\ta AS (SELECT 1)", "WITH"),
    ])
  func firstWord(text: String, word: String) {
    #expect(statement(text).firstWord == word)
  }

  @Test(
    "a second statement is found, what is none is not",
    arguments: [
      ("SELECT 1; SELECT 2", true), ("SELECT 1;;x", true), ("SELECT 1; -- two", false),
      ("SELECT ';' AS \"a;b\" -- ;\n", false), ("SELECT 1 /* ; */;\n /* end */ ", false),
      ("SELECT 'it''s; one'; ", false), ("SELECT 1; 'x'", true),
    ])
  func more(text: String, hasMore: Bool) {
    #expect(statement(text).hasMore == hasMore)
  }

  @Test("the semicolon and what follows it is not part of the statement")
  func end() {
    #expect(statement("SELECT 1; -- two").text == "SELECT 1")
  }

  @Test(
    "an interpolation in quotes or in a comment is refused",
    arguments: ["SELECT '", "SELECT \"", "SELECT 1 -- ", "SELECT /* ", "SELECT 'it''", "/*/ "])
  func quoted(text: String) {
    var statement = statement(text)
    #expect(throws: PersistenceError.self) { try statement.append(interpolated: "?1") }
  }

  @Test(
    "an interpolation after them is taken",
    arguments: ["SELECT 'it''s' || ", "SELECT 1 -- a\n + ", "SELECT /* a */ ", "SELECT 4 / 2 - "])
  func unquoted(text: String) throws {
    var statement = statement(text)
    try statement.append(interpolated: "?1")
    #expect(statement.text == text + "?1")
  }
}
