// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests of the house style, on every file of the repository.
@Suite struct TidyTests {
  private func check(_ rule: some TidyRule) {
    let findings = SourceTree.files.flatMap { rule.findings(in: $0) }
    for finding in findings { Issue.record("\(finding)") }
  }

  @Test("the tree that is checked is the repository")
  func treeIsTheRepository() {
    let paths = Set(SourceTree.files.map(\.path))
    #expect(paths.contains("Package.swift"))
    #expect(paths.contains("Sources/RoostModel/Values/Value.swift"))
    #expect(paths.contains("Tests/TidyTests/TidyTests.swift"))
    #expect(!paths.contains { $0.contains(".build/") })
  }

  @Test("every source file begins with its licence")
  func licence() { check(LicenceRule()) }

  @Test("a line of code has at most 100 columns, of prose 120")
  func lineWidth() { check(LineWidthRule()) }

  @Test("a file is one room: at most 500 lines, and long files only shrink")
  func fileLength() { check(FileLengthRule(ratchet: LongFiles.allowed)) }

  @Test("the list of long files names only files that exist")
  func longFilesExist() {
    let paths = Set(SourceTree.files.map(\.path))
    #expect(LongFiles.allowed.keys.filter { !paths.contains($0) } == [])
  }

  @Test("a function fits on a screen of 70 lines")
  func functionLength() { check(FunctionLengthRule()) }

  @Test("a file's name says what is in it")
  func fileNames() { check(FileNameRule()) }

  @Test(
    "no notes to oneself, no riddles, no unchecked casts, no unsafe decoders, no paths of one machine"
  )
  func bannedText() { check(BannedTextRule()) }

  @Test("a comment begins with its noun or its verb, not with a relative clause")
  func commentOpenings() { check(CommentOpeningRule()) }

  @Test("what the compiler does not check has a comment that proves it")
  func unsafeProof() { check(UnsafeProofRule()) }

  @Test("stores change names and lengths of files in one place (B367)")
  func fileOperations() { check(FileOperationRule()) }

  @Test("nobody waits for a disk or a server while a lock on values is held (F15)")
  func lockedInputOutput() { check(LockedInputOutputRule()) }

  @Test("no test waits without a limit")
  func unboundedWaits() { check(UnboundedWaitRule()) }

  @Test("no lock guards a closure by itself")
  func lockedClosures() { check(LockedClosureRule()) }

  @Test("what Core Data's names throw is an NSError")
  func foundationErrors() { check(FoundationErrorRule()) }

  @Test("a target imports only the layers above it")
  func layers() { check(LayerRule()) }

  @Test("every public declaration is documented")
  func publicDocumentation() { check(PublicDocumentationRule()) }

  @Test("every public type has an example, and the list of those without one only shrinks")
  func typeExamples() { check(TypeExampleRule(without: TypesWithoutExample.allowed)) }

  @Test("the list of types without an example names only files that exist")
  func typesWithoutExampleExist() {
    let paths = Set(SourceTree.files.map(\.path))
    #expect(TypesWithoutExample.allowed.keys.filter { !paths.contains($0) } == [])
  }

  @Test("no public documentation has numbers that only the project's own lists explain (F46)")
  func bareNumbers() { check(BareNumberRule()) }

  @Test("no public name clashes with Foundation's")
  func foundationNames() { check(FoundationNamesRule()) }
}
