// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostMacroExpansion

@Suite struct ConversationTests {
  private func answer(_ message: String) throws -> [String: Any] {
    let answer = Data(Conversation.answer(to: Array(message.utf8)))
    return try #require(try JSONSerialization.jsonObject(with: answer) as? [String: Any])
  }

  @Test("the plugin says which version of the protocol it speaks")
  func capability() throws {
    for message in [
      #"{"getCapability":{}}"#, #"{"getCapability":{"capability":{"protocolVersion":9}}}"#,
    ] {
      let result = try #require(try answer(message)["getCapabilityResult"] as? [String: Any])
      let capability = try #require(result["capability"] as? [String: Any])
      #expect(capability["protocolVersion"] as? Int == 7)
    }
  }

  @Test("a request for a library is refused politely")
  func library() throws {
    let message = #"{"loadPluginLibrary":{"libraryPath":"a","moduleName":"b"}}"#
    let result = try #require(try answer(message)["loadPluginLibraryResult"] as? [String: Any])
    #expect(result["loaded"] as? Bool == false)
  }

  @Test(
    "a message that makes no sense is answered by an error",
    arguments: [
      "", "x", "{", "[]", "null", "{}", "\u{0}", #"{"expandAttachedMacro":1}"#,
      #"{"expandAttachedMacro":{}}"#, #"{"expandFreestandingMacro":{}}"#, #"{"somethingNew":{}}"#,
      #"{"expandAttachedMacro":{"macro":{"typeName":"EntityMacro"},"macroRole":"member"}}"#,
      String(repeating: "[", count: 100_000),
    ])
  func nonsense(message: String) throws {
    let result = try #require(try answer(message)["expandMacroResult"] as? [String: Any])
    let diagnostics = try #require(result["diagnostics"] as? [[String: Any]])
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?["severity"] as? String == "error")
  }

  @Test("bytes that are no UTF-8 are answered by an error")
  func invalidText() throws {
    let answer = Conversation.answer(to: [0xFF, 0xFE, 0x00, 0x80])
    #expect(String(decoding: answer, as: UTF8.self).contains("cannot read"))
  }

  @Test("an unknown macro or role is an error at the attribute")
  func unknownMacro() throws {
    for (type, role) in [("NoMacro", "member"), ("EntityMacro", "body"), ("", "")] {
      let failures = try Compiler.expand(type, role, attribute: ("@A", 7), "class A {}").failures
      #expect(failures.map(\.offset) == [7])
    }
  }

  @Test("messages go through a pipe in frames, one after the other")
  func frames() throws {
    let pipe = Pipe()
    let channel = MessageChannel(
      input: pipe.fileHandleForReading.fileDescriptor,
      output: pipe.fileHandleForWriting.fileDescriptor)
    #expect(channel.send([1, 2, 3]))
    #expect(channel.send(Array("é".utf8)))
    #expect(channel.receive() == [1, 2, 3])
    #expect(channel.receive() == Array("é".utf8))
  }

  @Test(
    "a frame that ends early, is empty or too long ends the conversation",
    arguments: [
      [], [1], [0, 0, 0, 0, 0, 0, 0, 0], [9, 0, 0, 0, 0, 0, 0, 0, 1],
      [255, 255, 255, 255, 255, 255, 255, 255, 1], [1, 0, 0, 64, 0, 0, 0, 0, 1],
    ] as [[UInt8]])
  func brokenFrames(bytes: [UInt8]) throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try pipe.fileHandleForWriting.close()
    let channel = MessageChannel(
      input: pipe.fileHandleForReading.fileDescriptor, output: STDERR_FILENO)
    #expect(channel.receive() == nil)
  }
}
