//! PDF files in a folder: their pages are found, and malformed ones are findings. This program is also the one that extracts text: the
//! tests start it again, as a program that embeds callgate starts itself.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the harness of these tests is their own"
)]

use std::{
    env, fs,
    io::{stdin, stdout},
    path::PathBuf,
    process::ExitCode,
};

use callgate_documents::{Documents, DocumentsSettings, extract, load};
use callgate_executor::Executor;
use callgate_tool::{Object, Session, ToolCall, Value};
use tempfile::{TempDir, tempdir};

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() == Some("extract") {
        let extracted = extract(&mut stdin().lock(), &mut stdout().lock());
        return if extracted.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        the_pages_of_a_pdf_are_found_and_read().await;
        a_pdf_without_a_text_or_a_program_is_a_finding().await;
        every_malformed_pdf_is_read_or_is_a_finding().await;
    });
    println!("3 tests passed");
    ExitCode::SUCCESS
}

async fn the_pages_of_a_pdf_are_found_and_read() {
    let shop =
        Shop::of(&[("guide.pdf", &pdf(&["The shop opens at nine", "Zebras pay by card"]))]).await;
    assert_eq!(shop.findings(), [""; 0]);
    let found = shop.call("shop-search", [("query", "zebra".into())]).await;
    let snippet = &found.get("snippets").unwrap().as_array().unwrap()[0];
    let text = snippet.get("text").unwrap().as_str().unwrap();
    assert_eq!(text.trim(), "Zebras pay by card");
    assert_eq!(snippet.get("page").unwrap().as_u64(), Some(2));
    assert!(snippet.get("lines").is_none());
    let of_page = [("document", "guide.pdf".into()), ("from", 2.into()), ("to", 2.into())];
    let page = shop.call("shop-read", of_page).await;
    assert!(page.get("text").unwrap().as_str().unwrap().contains(text));
    assert_eq!(page.get("lines").unwrap().as_u64(), Some(2));
    assert_eq!(page.get("digest"), snippet.get("digest"));
}

async fn a_pdf_without_a_text_or_a_program_is_a_finding() {
    let shop = Shop::of(&[("empty.pdf", &pdf(&[""]))]).await;
    assert_eq!(shop.findings(), ["`empty.pdf`: expected a PDF with text, got one of images alone"]);
    let mut settings = shop.settings.clone();
    settings.extractor = None;
    let loaded = load(settings, None).await;
    let message = "`empty.pdf`: expected a program that extracts the text of PDF files, got none";
    assert_eq!(loaded.findings[0].message, message);
    // It answers, and with no text.
    let mut settings = shop.settings.clone();
    settings.extractor = Some("/usr/bin/true".into());
    let loaded = load(settings, None).await;
    let message = "`empty.pdf`: expected a PDF whose text can be extracted, got a malformed, encrypted or too large one";
    assert_eq!(loaded.findings[0].message, message);
}

async fn every_malformed_pdf_is_read_or_is_a_finding() {
    let whole = pdf(&["Cats and dogs in a row", "More cats", "A third page of cats"]);
    let mut random = Random(0x5eed);
    let mutants: Vec<(String, Vec<u8>)> =
        (0..200).map(|n| (format!("{n:03}.pdf"), mutant(&whole, &mut random))).collect();
    let files: Vec<(&str, &[u8])> =
        mutants.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).collect();
    let shop = Shop::of(&files).await;
    let counts = shop.documents.counts();
    assert_eq!(counts.files, 200);
    assert_eq!(counts.documents + shop.findings().len(), 200);
    assert!(counts.documents > 20 && counts.documents < 200, "{}", counts.documents);
    println!("200 malformed files: {} read", counts.documents);
}

/// A folder of PDF files with its tools.
struct Shop {
    _dir: TempDir,
    settings: DocumentsSettings,
    documents: Documents,
    executor: Executor,
}

impl Shop {
    async fn of(files: &[(&str, &[u8])]) -> Self {
        let dir = tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let mut settings = DocumentsSettings::new("shop", dir.path());
        settings.include = vec!["**/*.pdf".to_owned()];
        settings.extractor = Some(program());
        let loaded = load(settings.clone(), None).await;
        let add = callgate_executor::Builder::shared_backend;
        let executor = loaded.tools.into_iter().fold(Executor::builder(), add).build().unwrap();
        Self { _dir: dir, settings, documents: loaded.documents.unwrap(), executor }
    }

    fn findings(&self) -> Vec<String> {
        self.documents.findings().into_iter().map(|finding| finding.message).collect()
    }

    async fn call<const N: usize>(&self, tool: &str, arguments: [(&str, Value); N]) -> Value {
        let arguments = Object::from(arguments);
        let call = ToolCall { id: "1".into(), tool: tool.into(), arguments };
        let result = self.executor.call(&call, &Session::default()).await;
        Value::parse(result.outcome.text().unwrap()).unwrap()
    }
}

fn program() -> PathBuf {
    env::current_exe().unwrap()
}

/// A PDF with a line of text on each page (ISO 32000-1 §7.5).
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|n| format!("{} 0 R ", 4 + 2 * n)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (n, text) in pages.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * n
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let (mut file, mut offsets) = ("%PDF-1.4\n".to_owned(), Vec::new());
    for (n, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", n + 1));
    }
    let table = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for offset in offsets {
        file.push_str(&format!("{offset:010} 00000 n \n"));
    }
    let size = objects.len() + 1;
    file.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

/// A copy with some other bits, cut off in one of four cases.
fn mutant(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    if random.below(4) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
    for _ in 0..random.below(12) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

/// Numbers that are the same in each run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap()
    }
}
